"""Settings: refused values, the words of refusals, and secrets that are never shown."""

import base64
import json
import logging
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from leaf import config, errors
from leaf.callers import tokens
from leaf.config import catalog
from leaf.config.problems import is_placeholder, is_simple
from leaf.config.settings import usable_cores
from leaf.telemetry import logs

ROOT = Path(__file__).parent.parent.parent
SEAL_KEYS = f"k1:{tokens.new_seal_key()}"
PRODUCTION = {
    "LEAF_ENV": "production",
    "LEAF_URL": "https://leaf.example",
    "DATABASE_URL": "postgresql://leaf:pw-database@db/leaf",
    "REDIS_URL": "redis://:pw-redis@redis/0",
    "LEAF_SECRET": "correct horse battery staple, and more",
    "LEAF_SEAL_KEYS": SEAL_KEYS,
    "GOOGLE_CLIENT_ID": "id.apps.googleusercontent.com",
    "GOOGLE_CLIENT_SECRET": "GOCSPX-q7Rk2mVx9dTzW4",
    "LEAF_MODEL": "anthropic:claude",
    "ANTHROPIC_API_KEY": "sk-ant-model-key",
}
SECRETS = ("pw-database", "pw-redis", "battery", SEAL_KEYS.partition(":")[2], "q7Rk2mVx9dTzW4", "model-key")


@pytest.fixture
def environment(no_environment: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    monkeypatch.chdir(tmp_path)
    return monkeypatch


def load(environment: pytest.MonkeyPatch, **variables: str) -> config.Settings:
    for name, value in variables.items():
        environment.setenv(name, value)
    return config.load()


def problems(environment: pytest.MonkeyPatch, **variables: str) -> list[str]:
    with pytest.raises(errors.ConfigurationError) as refused:
        load(environment, **variables)
    return refused.value.problems


def test_nothing_needs_to_be_set(environment: pytest.MonkeyPatch) -> None:
    settings = load(environment)
    assert (settings.env, settings.url) == ("development", "http://localhost:3000")
    assert catalog.offered(settings) == ["sandbox:sandbox"]
    assert settings.uses_sandbox
    assert not settings.secure_cookies


def test_production_with_everything_starts(environment: pytest.MonkeyPatch) -> None:
    settings = load(environment, **PRODUCTION)
    assert not settings.uses_sandbox
    assert settings.secure_cookies


@pytest.mark.parametrize("missing", sorted(PRODUCTION.keys() - {"LEAF_ENV", "LEAF_MODEL"}))
def test_production_says_what_is_missing(environment: pytest.MonkeyPatch, missing: str) -> None:
    """Production has no default secret and starts no stand-in."""
    said = problems(environment, **{name: value for name, value in PRODUCTION.items() if name != missing})
    assert any(missing in problem for problem in said)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("LEAF_URL", "http://leaf.example", "https://"),
        ("LEAF_SECRET", "a" * 40, "too simple"),
        ("LEAF_SECRET", "short", "32 characters"),
        ("LEAF_SECRET", "0123456789abcdef0123456789abcdef", "too simple"),
        ("LEAF_SECRET", "your-secret-goes-here-replace-me-please-ok", "too simple"),
        ("LEAF_SEAL_KEYS", f"k1:{'A' * 43}=", "too simple"),
        ("GOOGLE_CLIENT_ID", "your-client-id", "placeholder"),
        ("GOOGLE_CLIENT_SECRET", "changeme", "placeholder"),
        ("ANTHROPIC_API_KEY", "sk-...", "placeholder"),
        ("ANTHROPIC_API_KEY", "xxxxxxxxxxxx", "placeholder"),
        ("LEAF_SANDBOX_URL", "http://127.0.0.1:1", "refused in production"),
        ("LEAF_MODEL", "sandbox:sandbox", "sandbox model is refused"),
        ("LEAF_SEAL_KEYS", "k1:not-a-key", "make seal-key"),
        ("LEAF_SEAL_KEYS", ",", "make seal-key"),
    ],
)
def test_production_refuses_what_is_unsafe(environment: pytest.MonkeyPatch, name: str, value: str, said: str) -> None:
    assert any(
        problem.startswith(name) and said in problem for problem in problems(environment, **{**PRODUCTION, name: value})
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LEAF_ENV", "prod"), ("PORT", "abc"), ("PORT", "70000"), ("DATABASE_URL", "mysql://x"), ("REDIS_URL", "http://x"),
        ("LEAF_URL", "leaf.example"), ("LEAF_MODEL", "gpt"), ("LEAF_MODEL", "unknown:x"), ("LEAF_MODEL", "openai:"),
        ("LEAF_SIGN_IN_PROVIDERS", "[{"), ("LEAF_SIGN_IN_PROVIDERS", "{}"), ("LEAF_SIGN_IN_PROVIDERS", '[{"id": "x"}]'),
        ("LEAF_SANDBOX_DRIVE", "/nonexistent"), ("LEAF_SESSION_DAYS", "0"), ("LEAF_LOG_LEVEL", "loud"),
        ("GOOGLE_CLIENT_ID", "only-the-id"), ("DATABASE_URL", "postgresql://db:54x2/leaf"), ("REDIS_URL", "redis://r:0/0"),
        ("LEAF_EMBEDDINGS", "on"), ("LEAF_EMBEDDINGS", "anthropic:x"), ("LEAF_EMBEDDINGS", "openai:"),
        ("LEAF_SMTP_URL", "mail.example"), ("LEAF_SMTP_URL", "http://mail.example"), ("LEAF_SMTP_URL", "smtp://"),
        ("LEAF_SMTP_URL", "smtp://mail.example:0"), ("LEAF_SMTP_URL", "smtp://u:p@mail.example/x"),
        ("LEAF_SMTP_URL", "smtp://user@mail.example"), ("LEAF_SMTP_URL", "smtp://u:p/w@mail.example"),
        ("LEAF_MAIL_FROM", "leaf@leaf.example"),
        ("LEAF_DATA_DIR", __file__), ("LEAF_URL", "https://leaf.example/sub"), ("LEAF_URL", "https://user@leaf.example"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_named(environment: pytest.MonkeyPatch, name: str, value: str) -> None:
    said = problems(environment, **{name: value})
    assert len(said) >= 1
    assert all(name in problem for problem in said)
    assert all("\n" not in problem for problem in said)


def test_random_secrets_are_never_taken_for_placeholders() -> None:
    # A fixed seed: among enough random secrets, one would contain a word by chance.
    chance = random.Random(5)
    for _ in range(2000):
        assert not is_simple(base64.urlsafe_b64encode(chance.randbytes(48)).decode())
        assert not is_placeholder(f"sk-{base64.urlsafe_b64encode(chance.randbytes(24)).decode()}")
    assert not is_simple("gzs2gpTJKg8eVeXgmrDumMYKuaYsLp45M_xXx-Ioash82-1Jok6duv__v8O3TW")


@pytest.mark.parametrize(
    ("model", "key"),
    [("openai:x", "OPENAI_API_KEY"), ("anthropic:x", "ANTHROPIC_API_KEY"), ("google:x", "GOOGLE_API_KEY")],
)
def test_a_model_needs_its_key(environment: pytest.MonkeyPatch, model: str, key: str) -> None:
    assert [problem for problem in problems(environment, LEAF_MODEL=model) if problem.startswith(f"{key}: is missing")]


def test_production_without_a_model_names_what_would_enable_one(environment: pytest.MonkeyPatch) -> None:
    """With a key of a provider, the table of models names the model."""
    keyed = {name: value for name, value in PRODUCTION.items() if name != "LEAF_MODEL"}
    assert load(environment, **keyed).env == "production"
    environment.delenv("ANTHROPIC_API_KEY")
    del keyed["ANTHROPIC_API_KEY"]
    assert any(problem.startswith("LEAF_MODEL: no provider") for problem in problems(environment, **keyed))


def test_providers_have_ids_of_their_own(environment: pytest.MonkeyPatch) -> None:
    """# 000-02"""
    one = {
        "id": "company",
        "label": "Company",
        "issuer": "https://idp.example",
        "client_id": "c",
        "client_secret": "provider-secret",
    }
    settings = load(environment, LEAF_SIGN_IN_PROVIDERS=json.dumps([one]))
    assert [provider.label for provider in settings.sign_in_providers] == ["Company"]
    assert "provider-secret" not in repr(settings)
    for other in (one, {**one, "id": "google"}):
        assert problems(environment, LEAF_SIGN_IN_PROVIDERS=json.dumps([one, other]))


def test_settings_never_show_a_secret(environment: pytest.MonkeyPatch) -> None:
    """Passwords inside addresses included."""
    settings = load(environment, **PRODUCTION)
    shown = f"{settings!r} {settings} {settings.sealer!r}"
    assert not [secret for secret in SECRETS if secret in shown]


def test_refusals_never_show_a_secret(environment: pytest.MonkeyPatch) -> None:
    said = "\n".join(
        problems(environment, **{**PRODUCTION, "LEAF_SECRET": "tooshort-battery", "PORT": "x", "LEAF_MODEL": "x"})
    )
    assert not [secret for secret in SECRETS if secret in said]


def test_a_copy_with_other_keys_seals_with_them(environment: pytest.MonkeyPatch) -> None:
    settings = load(environment, LEAF_SEAL_KEYS=SEAL_KEYS)
    assert settings.sealer.seal("x").startswith("k1:")
    other = settings.model_copy(update={"seal_keys": f"k2:{tokens.new_seal_key()},{SEAL_KEYS}"})
    assert other.sealer.seal("x").startswith("k2:")
    assert other.sealer.open(settings.sealer.seal("x")) == "x"


def test_a_proxy_does_not_stand_before_the_sandbox(environment: pytest.MonkeyPatch) -> None:
    environment.setattr(config, "_current", None)
    for name in ("no_proxy", "NO_PROXY", "OAUTHLIB_INSECURE_TRANSPORT"):
        environment.setenv(name, "")
    environment.setenv("NO_PROXY", "intranet.example")
    config.install(load(environment))
    assert os.environ["no_proxy"] == os.environ["NO_PROXY"] == "intranet.example,127.0.0.1,localhost"
    config.install(load(environment))
    assert os.environ["no_proxy"] == "intranet.example,127.0.0.1,localhost"


def preflight(directory: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    known = {str(field.validation_alias) for field in config.Settings.model_fields.values()}
    inherited = {name: value for name, value in os.environ.items() if name not in known}
    return subprocess.run(
        [sys.executable, "-m", "leaf", "preflight"], env={**inherited, "PYTHONPATH": str(ROOT), **variables},
        cwd=directory, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_a_start_in_production_lists_everything_that_is_missing(tmp_path: Path) -> None:
    """One line each, no traceback."""
    said = preflight(tmp_path, LEAF_ENV="production")
    assert (said.returncode, said.stdout) == (1, "")
    lines = said.stderr.splitlines()
    assert lines[0] == "Leaf cannot start:"
    assert all(line.startswith("  - ") for line in lines[1:])
    for name in PRODUCTION.keys() - {"LEAF_ENV", "ANTHROPIC_API_KEY"}:
        assert sum(f"{name}:" in line for line in lines) == 1, name
    assert "Traceback" not in said.stderr


LINES = [
    "Authorization: Bearer ya29.a0-secret.value",
    "authorization: bearer opaque-secret-value",
    "Authorization: Basic c2VjcmV0OnNlY3JldA==",
    "GET /auth/callback?state=secret-state&code=4/0Asecret-code&scope=email",
    "{'refresh_token': '1//0secret-refresh-token', 'id_token': 'eyJhbGciOi.eyJzZWNyZXQ.c2VjcmV0'}",
    "cookie: leaf_session_1a2b3c4d=leaf_session_secretsecretsecretsecretsecretsecretsecret",
    "client_secret=GOCSPX-secret&code_verifier=secret-verifier",
    "postgresql://leaf:secret-password@db.example/leaf",
    "redis://:secret-password@redis.example/0",
    "key sk-ant-secret-secret-secret and AIzaSecretsecretsecretsecret",
    "sealed k1:gAAAAABsecretsecretsecretsecret==",
]


@pytest.mark.parametrize("line", LINES)
def test_logs_carry_no_secret(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In messages, arguments and tracebacks, also where these have messages."""
    monkeypatch.setattr(logs, "_messages", True)
    formatter = logs.Redacting("%(message)s")
    record = logging.LogRecord("leaf", logging.INFO, __file__, 1, "got %s", (line,), None)
    written = formatter.format(record)
    try:
        raise ValueError(line)
    except ValueError:
        failed = logging.LogRecord("leaf", logging.ERROR, __file__, 1, "failed", (), sys.exc_info())
    for text in (written, formatter.format(failed).replace(repr(line), "")):
        last = [part for part in text.splitlines() if part.startswith(("got ", "ValueError: "))]
        assert last
        assert "secret" not in last[-1].replace("client_secret=", "").lower(), last[-1]
        assert "[redacted]" in last[-1]


@pytest.mark.parametrize(
    "line",
    [
        "run 018f4a7e-0000-7000-8000-000000000000 ended with sign_in_failed",
        "https://leaf.example/chat/1",
        "a basic question",
    ],
)
def test_logs_keep_what_is_no_secret(line: str) -> None:
    record = logging.LogRecord("leaf", logging.INFO, __file__, 1, line, (), None)
    assert logs.Redacting("%(message)s").format(record) == line


def test_development_listens_on_loopback_and_production_has_a_process_for_each_core() -> None:
    """The name of a host, which shells may export as HOST, is no address to listen on. # 000-05"""
    made = config.Settings.model_construct
    assert made(env="development", host="").listens_on == "127.0.0.1"
    assert made(env="development", host="my-machine").listens_on == "127.0.0.1"
    assert made(env="development", host="0.0.0.0").listens_on == "0.0.0.0"  # noqa: S104 - the setting
    assert made(env="production", host="").listens_on == "0.0.0.0"  # noqa: S104 - a container must
    assert made(env="development", redis_url="redis://x").processes == 1
    assert made(env="production", redis_url="redis://x").processes == usable_cores()
    assert made(env="production", redis_url="redis://x", web_processes=3).processes == 3


@pytest.mark.parametrize(
    ("inner", "outer", "expected"),
    [("max 100000", "max 100000", 8), ("150000 100000", "max 100000", 2), ("max 100000", "50000 100000", 1)],
)
def test_the_cores_of_a_container_are_those_that_it_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inner: str, outer: str, expected: int
) -> None:
    """The machine has 64 cores, the process may use 8, and its control groups allow fewer."""
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    own, group = tmp_path / "cgroup", tmp_path / "groups" / "pods" / "leaf"
    own.write_text("0::/pods/leaf\n")
    group.mkdir(parents=True)
    (group / "cpu.max").write_text(inner)
    (group.parent / "cpu.max").write_text(outer)
    assert usable_cores(tmp_path / "groups", own) == expected
    assert usable_cores(tmp_path / "groups", tmp_path / "none") == 8
