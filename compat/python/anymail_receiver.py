"""Django application with the webhook views of django-anymail, as published and untouched, on a free port of loopback."""

import io
import queue
import threading
from http.client import HTTPConnection
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

credentials = "webhooks:correct-horse"
settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    ANYMAIL={"WEBHOOK_SECRET": credentials},
    DATABASES={},
    INSTALLED_APPS=["anymail"],
    # Refused requests are expected here.
    LOGGING={"version": 1, "loggers": {"django": {"level": "CRITICAL"}}},
    ROOT_URLCONF=__name__,
    SECRET_KEY="not-secret",
    SILENCED_SYSTEM_CHECKS=["anymail.W001"],
    USE_TZ=True,
)
django.setup()

from anymail.signals import inbound, tracking  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402

urlpatterns = [path("anymail/", include("anymail.urls"))]
seconds_max = 30


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


class Receiver:
    """Runs the application, and gives what its views made of each request, in the order of arrival."""

    def __init__(self):
        self.requests = queue.Queue()
        self.received = threading.local()
        inbound.connect(self.receive)
        tracking.connect(self.receive)
        self.application = get_wsgi_application()
        self.server = make_server("127.0.0.1", 0, self.handle, Server, QuietHandler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def receive(self, event, **_):
        self.received.events.append(event)

    def handle(self, environ, start_response):
        self.received.events = []
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        environ["wsgi.input"] = io.BytesIO(body)
        self.last = environ, body
        statuses = []

        def start(status, *arguments):
            statuses.append(int(status.split()[0]))
            return start_response(status, *arguments)

        response = self.application(environ, start)
        self.requests.put((environ["PATH_INFO"], statuses[0], self.received.events))
        return response

    def repeat_altered(self, old, new):
        """Sends the last request again, with a body in which a text is another one of the same length."""
        environ, body = self.last
        assert body.count(old) > 0 and len(old) == len(new), (old, body)
        headers = {name[5:].replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}
        headers["Content-Type"] = environ["CONTENT_TYPE"]
        connection = HTTPConnection("127.0.0.1", self.server.server_port)
        connection.request("POST", environ["PATH_INFO"], body.replace(old, new, 1), headers)
        connection.getresponse().read()
        connection.close()

    def url(self, view):
        return f"http://127.0.0.1:{self.server.server_port}/anymail/{view}/"

    def next(self, view):
        """Returns the status and the events of the next request, which is for this view."""
        at, status, events = self.requests.get(timeout=seconds_max)
        assert at == f"/anymail/{view}/", (at, view)
        return status, events

    def events(self, view, count):
        """Returns this many events; providers may put several into a request."""
        found = []
        while len(found) < count:
            status, events = self.next(view)
            assert status == 200, (view, status)
            found += events
        assert len(found) == count, (view, [event.event_type for event in found])
        return found
