-- A part that names a file or a source has what a page needs to draw it; the rules of other kinds are in the baseline.
ALTER TABLE messages ADD CONSTRAINT messages_file_parts_check CHECK (NOT jsonb_path_exists(parts, '$[*] ? (
    @.type == "file" && !(@.mediaType.type() == "string" && @.url.type() == "string")
    || @.type == "source-url" && !(@.sourceId.type() == "string" && @.url.type() == "string")
    || @.type == "source-document" && !(@.sourceId.type() == "string" && @.mediaType.type() == "string"
        && @.title.type() == "string")
)')) NOT VALID;
-- Messages of earlier versions that break the rule do not stop an upgrade: it then holds for new ones.
DO $$
BEGIN
    ALTER TABLE messages VALIDATE CONSTRAINT messages_file_parts_check;
EXCEPTION WHEN check_violation THEN
    RAISE WARNING 'some messages of earlier versions have incomplete parts of files or sources; they are kept';
END
$$;
