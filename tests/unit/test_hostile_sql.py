"""Statements that read files, load extensions, leave the sandbox, run for ever or fill the memory."""

import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from leaf.documents import isolation
from leaf.documents.model import Segment
from leaf.documents.tables import Refused, Source


def _table(rows: int) -> Source:
    lines = "\n".join(f"{number},name {number},{number * 2}" for number in range(rows))
    return Source("file", "1", "t.csv", "csv", [Segment("all", None, f"id,name,amount\n{lines}")])


SOURCE = _table(2_000)
SHORT = _table(20)
"""For the statements that are refused whatever the table holds: it is recognised anew for each."""
DOUBLED = ", ".join(f"d{n + 1} AS (SELECT x || x || x || x || x || x || x || x AS x FROM d{n})" for n in range(12))
ENDLESS = [
    "SELECT count(*) FROM t AS a, t AS b, t AS c, t AS d",
    "SELECT sum(a.amount * b.amount * c.amount) FROM t AS a CROSS JOIN t AS b CROSS JOIN t AS c",
    "SELECT a.name, b.name, c.name, count(*) FROM t AS a, t AS b, t AS c GROUP BY a.name, b.name, c.name",
    "SELECT a.name || b.name || c.name AS x FROM t AS a, t AS b, t AS c ORDER BY x",
    f"WITH d0 AS (SELECT name AS x FROM t), {DOUBLED} SELECT max(length(x)) FROM d12",
]
"""Statements that are allowed, and refused because of the time or the memory that they take."""
FURTHER = [
    "SELECT * FROM read_ndjson_objects('/etc/passwd')",
    "SELECT * FROM read_json_auto('/proc/self/environ')",
    "SELECT * FROM st_read('/etc/passwd')",
    "SELECT * FROM iceberg_scan('s3://bucket/x')",
    "SELECT * FROM delta_scan('/tmp')",
    "SELECT * FROM mysql_scan('localhost', 'd', 't')",
    "SELECT * FROM read_xlsx('/tmp/a.xlsx')",
    "SELECT * FROM duckdb_functions()",
    "SELECT * FROM duckdb_logs()",
    "SELECT * FROM which_secret('s3://bucket/x', 's3')",
    "SELECT * FROM pragma_storage_info('t')",
    "SELECT * FROM json_each('[1]')",
    "SELECT * FROM t, unnest([1, 2, 3])",
    "SELECT COLUMNS('.*') FROM t",
    "SELECT t FROM t",
    "SELECT row(1, 2)",
    "SELECT name COLLATE nocase FROM t",
    "SELECT md5(name) FROM t",
    "SELECT uuid()",
    "SELECT now()",
    "SELECT current_date",
    "SELECT current_user",
    "SELECT getvariable('x')",
    "SET VARIABLE x = 1",
    "BEGIN TRANSACTION",
    "FORCE CHECKPOINT",
    "ANALYZE t",
    "COMMENT ON TABLE t IS 'x'",
    "CREATE TYPE e AS ENUM ('a')",
    "CREATE SEQUENCE s",
    "CREATE INDEX i ON t(id)",
    "MERGE INTO t USING t AS u ON t.id = u.id WHEN MATCHED THEN DELETE",
    "TRUNCATE t",
    "INSERT INTO t SELECT * FROM t RETURNING *",
    "UPDATE EXTENSIONS",
    "LOAD 'https://example.com/x.duckdb_extension'",
    "UNPIVOT t ON id, amount INTO NAME n VALUE v",
    "SELECT * FROM (DELETE FROM t RETURNING *)",
    "WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x",
    "SELECT $1 FROM t",
    "SELECT ? FROM t",
    "SELECT sum(amount) FROM t -- '\n; DROP TABLE t",
    "SELECT 1 UNION ALL SELECT content FROM read_text('/etc/passwd')",
    "SELECT count(*) FROM t WHERE name IN (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT count(*) FROM t WHERE EXISTS (SELECT 1 FROM glob('*'))",
    "SELECT name FROM t ORDER BY (SELECT max(content) FROM read_text('/etc/passwd'))",
    "SELECT sum(amount) OVER (ORDER BY (SELECT 1 FROM glob('*'))) FROM t",
    "SELECT * FROM t LIMIT (SELECT count(*) FROM glob('*'))",
    "SELECT CASE WHEN 1 = 1 THEN getenv('PATH') END",
    "SELECT concat(name, getenv('PATH')) FROM t",
    "SELECT histogram(amount) FROM t",
    "SELECT regexp_replace(name, '(.*)*', 'x') FROM t",
    "SELECT to_json(t) FROM t",
    "SELECT 'a' SIMILAR TO '(a+)+'",
    "SELECT name GLOB '*' FROM t",
    "SELECT amount << 60 FROM t",
    "SELECT date '2026-01-01' + INTERVAL 999999999 YEAR",
    "SELECT sum(amount) FROM t GROUP BY CUBE (id, name)",
    "SELECT * FROM t LIMIT 10%",
    "SELECT * FROM t AT (VERSION => 1)",
    "SELECT * FROM t FOR UPDATE",
    "SELECT 'x'::INET",
    "SELECT CAST(1 AS DECIMAL(999999, 2))",
    "SELECT rowid FROM t",
    "SELECT filename FROM t",
    "SELECT sum(amount) FROM memory.main.t",
    "SELECT * FROM temp.t",
    "SELECT sum(amount) FROM t\x00; DROP TABLE t",
    "SELECT 1 INTO x",
    "SELECT " + "CASE WHEN 1 = 1 THEN " * 150 + "1" + " END" * 150,
    "SELECT " + "NOT " * 900 + "TRUE",
    "SELECT * FROM " + "(SELECT * FROM " * 200 + "t" + ")" * 200,
]
"""Further ones that read, change or leave; none of them runs."""
HOSTILE = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_csv_auto('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM read_json('/etc/passwd')",
    "SELECT * FROM read_parquet('/tmp/x.parquet')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    'SELECT * FROM "/etc/passwd"',
    "SELECT * FROM 'https://example.com/x.csv'",
    "SELECT * FROM read_csv('http://169.254.169.254/latest')",
    "SELECT * FROM parquet_scan('s3://bucket/x')",
    "SELECT * FROM sqlite_scan('/tmp/x.db', 't')",
    "SELECT * FROM postgres_scan('host=localhost', 'public', 'users')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM duckdb_extensions()",
    "SELECT * FROM duckdb_tables()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_tables",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM pragma_database_list()",
    "SELECT * FROM range(10)",
    "SELECT * FROM generate_series(1, 1000000000000)",
    "SELECT * FROM repeat('x', 1000000000)",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('t')",
    "SELECT * FROM loaded",
    "SELECT * FROM other.t",
    "SELECT * FROM main.t",
    "COPY t TO '/tmp/leaf-hostile.csv'",
    "COPY (SELECT * FROM t) TO '/tmp/leaf-hostile.csv'",
    "EXPORT DATABASE '/tmp/leaf-hostile'",
    "IMPORT DATABASE '/tmp/leaf-hostile'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '/tmp/evil.duckdb_extension'",
    "ATTACH '/tmp/leaf-hostile.db' AS other",
    "ATTACH ':memory:' AS other",
    "DETACH main",
    "USE main",
    "SET memory_limit = '100GB'",
    "SET temp_directory = '/tmp'",
    "RESET memory_limit",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "CHECKPOINT",
    "VACUUM",
    "CREATE TABLE u AS SELECT * FROM t",
    "CREATE MACRO sum(x) AS 42",
    "CREATE OR REPLACE TEMP MACRO sum(x) AS 42",
    "CREATE SECRET s (TYPE s3, KEY_ID 'x', SECRET 'y')",
    "CREATE VIEW v AS SELECT 1",
    "INSERT INTO t VALUES (1, 'x', 2)",
    "UPDATE t SET amount = 0",
    "DELETE FROM t",
    "DROP TABLE t",
    "ALTER TABLE t ADD COLUMN x INT",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "EXPLAIN SELECT * FROM t",
    "DESCRIBE t",
    "SHOW TABLES",
    "SUMMARIZE t",
    "SELECT 1; SELECT 2",
    "SELECT sum(amount) FROM t; DROP TABLE t",
    "SELECT sum(amount) FROM t /* ; */ ; COPY t TO '/tmp/leaf-hostile.csv' -- x",
    "SELECT getenv('HOME')",
    "SELECT current_setting('memory_limit')",
    "SELECT system('id')",
    "SELECT version()",
    "SELECT nextval('s')",
    "SELECT random()",
    "SELECT repeat('x', 2000000000) FROM t",
    "SELECT lpad('x', 2000000000, 'y') FROM t",
    "SELECT unnest(range(100000000000))",
    "SELECT list(amount) FROM t",
    "SELECT string_agg(name, ',') FROM t",
    "SELECT [x FOR x IN range(1000000000)] FROM t",
    "SELECT {'a': 1}",
    "SELECT MAP {'a': 1}",
    "SELECT list_transform([1], lambda x: x)",
    "SELECT regexp_matches(name, '(a+)+$') FROM t",
    "SELECT format('{:1000000000}', 1)",
    "SELECT printf('%1000000000d', 1)",
    "SELECT bitstring('1', 2000000000)",
    "SELECT CAST(name AS BLOB) FROM t",
    "SELECT CAST(name AS INT[]) FROM t",
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "WITH t AS (SELECT 1 AS amount) SELECT sum(amount) FROM t",
    "FROM t PIVOT (sum(amount) FOR name IN ('x'))",
    "SELECT * FROM t TABLESAMPLE 10%",
    "SELECT * FROM t, LATERAL (SELECT 1)",
    "SELECT * FROM (VALUES (1), (2)) AS v(x)",
    "SELECT _row FROM t",
    "SELECT (SELECT max(u.amount) FROM t AS u WHERE u.id = t.id) FROM t",
    "SELECT " + "(" * 1_900 + "1" + ")" * 1_900,
    "SELECT " + "-" * 3_000 + "1",
    "SELECT " + "1 + " * 1_500 + "x",
    "SELECT '" + "x" * 5_000 + "'",
    *ENDLESS,
    *FURTHER,
    "",
    ";",
    "not sql at all",
    "\0",
]


@pytest.fixture
async def processes() -> AsyncIterator[None]:
    yield
    isolation.close()


def test_there_are_many_of_them() -> None:
    assert len(set(HOSTILE)) == len(HOSTILE) >= 60


def _written() -> set[str]:
    """Files that a statement above could have written."""
    temporary = Path(tempfile.gettempdir())
    return {one.name for one in temporary.iterdir() if one.name.startswith("leaf-hostile")} | {
        one.name for one in Path().iterdir() if one.name == ".tmp"
    }


async def test_no_hostile_statement_runs(processes: None) -> None:
    """Each is refused with a sentence within seconds, nothing is written, and the next question is answered."""
    before = await asyncio.to_thread(_written)
    for query in filter(None, HOSTILE):
        began = time.monotonic()
        with pytest.raises(Refused) as refused:
            await isolation.computed([SOURCE if query in ENDLESS else SHORT], query)
        assert 10 < len(refused.value.message) < 3_000, query
        assert time.monotonic() - began < isolation.COMPUTE_SECONDS, query
    made = await isolation.computed([SOURCE], "SELECT sum(amount) AS s FROM t")
    assert made["rows"] == [[sum(number * 2 for number in range(2_000))]]
    assert await asyncio.to_thread(_written) == before


async def test_a_statement_without_text_describes_the_tables(processes: None) -> None:
    (table,) = (await isolation.computed([SOURCE], ""))["tables"]
    assert (table["name"], table["rows"], [one["name"] for one in table["columns"]]) == (
        "t",
        2_000,
        ["id", "name", "amount"],
    )


async def test_a_killed_process_fails_only_its_own_computation(processes: None) -> None:
    """The process dies in the middle of a statement; the next one starts anew."""
    slow = "SELECT count(*) FROM t AS a, t AS b, t AS c, t AS d"
    await isolation.computed([SOURCE], "SELECT 1 AS one")
    running = asyncio.create_task(isolation.computed([SOURCE], slow))
    readers = next(iter(isolation._readers.values()))
    async with asyncio.timeout(30):
        while readers._free.qsize() == len(readers._all):  # noqa: ASYNC110 - the pool tells nobody
            await asyncio.sleep(0.01)
    (process,) = [one._process for one in readers._all if one._process is not None]
    assert process is not None
    process.kill()
    with pytest.raises(Refused):
        await running
    assert (await isolation.computed([SOURCE], "SELECT count(*) AS n FROM t"))["rows"] == [[2_000]]


def test_a_source_survives_its_way_into_the_process() -> None:
    source = replace(SOURCE, notes=["The sheet “A” is hidden in the workbook."])
    assert Source.from_body(json.loads(json.dumps(source.body()))) == source
