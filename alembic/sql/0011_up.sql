-- What each kind of part has to have (the AI SDK's UIMessage parts), and the states that a tool call may be in.
ALTER TABLE messages ADD CONSTRAINT messages_part_kinds_check CHECK (
    NOT jsonb_path_exists(
        parts,
        '$[*] ? (
            !(@.type.type() == "string")
            || ((@.type == "text" || @.type == "reasoning") && !(@.text.type() == "string"))
            || ((@.type starts with "tool-" || @.type == "dynamic-tool") && !(@.toolCallId.type() == "string" && (
                @.state == "input-streaming" || @.state == "input-available" || @.state == "output-available"
                || @.state == "output-error" || @.state == "output-denied"
                || @.state == "approval-requested" || @.state == "approval-responded"
            )))
            || (@.type == "dynamic-tool" && !(@.toolName.type() == "string"))
            || (@.type starts with "data-" && !exists(@.data))
        )'
    )
);
