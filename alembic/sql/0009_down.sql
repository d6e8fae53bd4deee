DROP TABLE chat_summaries;
