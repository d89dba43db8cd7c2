"""A server written from the interface document alone: python3 server.py [PORT]. It prints the environment for the suite."""

import base64, hashlib, hmac, json, re, secrets, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = secrets.token_bytes(32)
CLIENT = {"client_id": "app-1", "client_secret": secrets.token_hex(16)}
SCOPES = {f"py_jar_v1_{secrets.token_hex(16)}": scope for scope in ("write:donations read:donations", "read:donations", "write:donations")}
DATE_TIME = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?(?:Z|[+-]([0-9]{2}):([0-9]{2}))")


class Refused(Exception):
    """args: status, reason."""


def sign(signed):
    return base64.urlsafe_b64encode(hmac.digest(SECRET, signed.encode(), hashlib.sha256)).decode().rstrip("=")


def access_token(scope):  # 5.2: a signed JWT
    parts = [{"alg": "HS256"}, {"scope": scope, "jti": secrets.token_hex(8)}]
    signed = ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    token = f"{signed}.{sign(signed)}"
    SCOPES[token] = scope
    return token


def authorize(header):  # 4.1, 5.1
    scheme, _, token = (header or "").partition(" ")
    if scheme != "Bearer" or token not in SCOPES:
        raise Refused(403, "no valid credential")
    if "write:donations" not in SCOPES[token].split():
        raise Refused(403, "the scope write:donations is needed")


def text(low, high):  # 2.1
    return lambda value: isinstance(value, str) and low <= len(value) <= high


def no_number(word):  # Python's reader takes NaN, Infinity and -Infinity for numbers; RFC 8259 has none of them
    raise ValueError(word)


def is_amount(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1000000


def is_date_time(value):  # 2.2
    match = DATE_TIME.fullmatch(value) if isinstance(value, str) else None
    if not match:
        return False
    year, month, day, hour, minute, second, offset_hour, offset_minute = (int(part or 0) for part in match.groups())
    leap = year % 4 == 0 and year % 100 != 0 or year % 400 == 0
    days = [0, 31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] if month <= 12 else 0
    return 1 <= day <= days and hour <= 23 and minute <= 59 and second <= 59 and offset_hour <= 23 and offset_minute <= 59


FIELDS = {
    "donatorName": text(1, 50),
    "amount": is_amount,
    "currency": lambda value: value == "THB",
    "message": text(0, 255),
    "identifier": text(0, 120),
    "idempotencyKey": text(1, 120),
    "skipAlert": lambda value: isinstance(value, bool),
    "createdAt": is_date_time,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: the second of two would wait 40 ms for the acknowledgement of the first

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            self.answer(200, self.handle_path(self.path.split("?")[0], data))
        except Refused as refused:
            self.answer(refused.args[0], {"error": refused.args[1]})

    def handle_path(self, path, data):
        if path == "/api/v1/donations":
            authorize(self.headers.get("Authorization"))
            return self.create(self.parse(data))
        if path in ("/oauth/token", "/oauth/revoke"):
            body = self.parse(data)
            if any(body.get(name) != value for name, value in CLIENT.items()):
                raise Refused(401, "unknown client")
            return self.exchange() if path == "/oauth/token" else self.revoke(body.get("token"))
        raise Refused(404, "no such path")

    def parse(self, data):  # 1: all bodies are JSON; 4: an object
        try:
            body = json.loads(data, parse_constant=no_number)
        except (ValueError, RecursionError):
            raise Refused(400, "the body is not JSON")
        if not isinstance(body, dict):
            raise Refused(400, "the body is not an object")
        return body

    def create(self, donation):
        wrong = [name for name, check in FIELDS.items() if name in donation and not check(donation[name])]
        wrong += [name for name in ("donatorName", "amount") if name not in donation]
        if wrong:
            raise Refused(400, f"wrong: {', '.join(wrong)}")
        return {"ok": True}

    def exchange(self):  # no code or refresh token is ever issued here
        raise Refused(400, "unknown code or refresh token")

    def revoke(self, token):
        if not isinstance(token, str):
            raise Refused(400, "token is a string")
        if token.count(".") == 2:
            SCOPES.pop(token, None)
        return {}

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
    names = ("API_KEY", "READ_API_KEY", "WRITE_API_KEY")
    values = {"API_URL": f"http://127.0.0.1:{server.server_port}", **dict(zip(names, list(SCOPES)))}
    values |= {f"OAUTH_{name.upper()}": value for name, value in CLIENT.items()}
    values |= {name: access_token("write:donations") for name in ("OAUTH_ACCESS_TOKEN", "OAUTH_REVOCABLE_TOKEN")}
    print("\n".join(f"export {name}='{value}'" for name, value in values.items()), flush=True)
    server.serve_forever()
