"""Site with the accounts of allauth: `allauth-site.py SETTINGS FOLDER link|code COMMAND…`, where SETTINGS is a module."""

import sys
from pathlib import Path
from runpy import run_path

import django
from django.conf import settings
from django.core.management import execute_from_command_line

_, mail_settings, folder, means, *command = sys.argv
by_code = means == "code"
settings.configure(
    **{name: value for name, value in run_path(mail_settings).items() if name.isupper()},
    DEBUG=True,
    SECRET_KEY="only for this run",
    ROOT_URLCONF="__main__",
    USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": Path(folder) / f"{means}.sqlite3"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "allauth",
        "allauth.account",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    LOGIN_REDIRECT_URL="/accounts/email/",
    ACCOUNT_LOGIN_METHODS={"email"},
    ACCOUNT_SIGNUP_FIELDS=["email*", "password1*"],
    ACCOUNT_EMAIL_VERIFICATION="mandatory",
    ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED=by_code,
    ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED=by_code,
)
django.setup()

from django.urls import include, path  # noqa: E402

urlpatterns = [path("accounts/", include("allauth.urls"))]

if __name__ == "__main__":
    execute_from_command_line(["manage.py", *command])
