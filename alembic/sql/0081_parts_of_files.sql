-- A part that names a file or a source has what a page needs to draw it; the rules of other kinds are in the baseline.
ALTER TABLE messages ADD CONSTRAINT messages_file_parts_check CHECK (NOT jsonb_path_exists(parts, '$[*] ? (
    @.type == "file" && !(@.mediaType.type() == "string" && @.url.type() == "string")
    || @.type == "source-url" && !(@.sourceId.type() == "string" && @.url.type() == "string")
    || @.type == "source-document" && !(@.sourceId.type() == "string" && @.mediaType.type() == "string"
        && @.title.type() == "string")
)'));
