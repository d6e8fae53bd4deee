DROP TABLE chat_file_versions, chat_files;
