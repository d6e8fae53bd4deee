-- Projects (decision 0081). A project belongs to one member; a chat lies in it for that member alone, so that the project
-- is named in the member's own row of the chat.
CREATE TABLE projects (
    id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT projects_pkey PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name text NOT NULL CONSTRAINT projects_name_check CHECK (char_length(name) BETWEEN 1 AND 80),
    instructions text NOT NULL DEFAULT ''
        CONSTRAINT projects_instructions_check CHECK (char_length(instructions) <= 4000),
    scope jsonb CONSTRAINT projects_scope_check
        CHECK (jsonb_typeof(scope) = 'object' AND octet_length(scope::text) <= 65536),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT projects_id_user_id_key UNIQUE (id, user_id)
);
CREATE INDEX projects_user_id_idx ON projects (user_id);

GRANT SELECT, INSERT, DELETE, UPDATE (name, instructions, scope, updated_at) ON projects TO leaf_app;
ALTER TABLE projects ENABLE ROW LEVEL SECURITY;
CREATE POLICY projects_select ON projects FOR SELECT TO leaf_app USING (user_id = (SELECT leaf_user_id()));
CREATE POLICY projects_insert ON projects FOR INSERT TO leaf_app WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY projects_no_visitor ON projects AS RESTRICTIVE FOR INSERT TO leaf_app WITH CHECK (NOT leaf_is_visitor());
CREATE POLICY projects_update ON projects FOR UPDATE TO leaf_app
    USING (user_id = (SELECT leaf_user_id())) WITH CHECK (user_id = (SELECT leaf_user_id()));
CREATE POLICY projects_delete ON projects FOR DELETE TO leaf_app USING (user_id = (SELECT leaf_user_id()));

ALTER TABLE chat_participants ADD COLUMN project_id uuid;
-- A member's row can name a project of that member only. A deleted project leaves its chats.
ALTER TABLE chat_participants ADD CONSTRAINT chat_participants_project_id_fkey
    FOREIGN KEY (project_id, user_id) REFERENCES projects (id, user_id) ON DELETE SET NULL (project_id);
CREATE INDEX chat_participants_project_idx ON chat_participants (project_id, active_at DESC, chat_session_id DESC)
    WHERE project_id IS NOT NULL;
GRANT UPDATE (project_id) ON chat_participants TO leaf_app;
