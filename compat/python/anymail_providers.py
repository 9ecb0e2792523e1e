"""Providers whose event webhooks django-anymail receives: how it sends, and what it makes of each type of event."""

import os

base = os.environ["MAILOSAUR_BASE_URL"].rstrip("/")
key = os.environ["MAILOSAUR_API_KEY"]
os.environ.update(
    AWS_ENDPOINT_URL_SESV2=f"{base}/providers/ses",
    AWS_ENDPOINT_URL_SNS=f"{base}/providers/sns",
    AWS_ACCESS_KEY_ID=key,
    AWS_SECRET_ACCESS_KEY="not-checked",
    AWS_DEFAULT_REGION="us-east-1",
)

# Types of anymail for the types of the service, with the reason for rejection.
read = {"opened": ("opened", None), "clicked": ("clicked", None)}
common = {"delivered": ("delivered", None), **read}
providers = {
    "sendgrid": {
        "send": {"api_url": f"{base}/providers/sendgrid/v3/", "api_key": key},
        "key": ("SENDGRID_TRACKING_WEBHOOK_VERIFICATION_KEY", "publicKey"),
        "signs_body": True,
        "types": {
            **common,
            "processed": ("queued", None),
            "dropped": ("rejected", "bounced"),
            "deferred": ("deferred", None),
            "bounced": ("bounced", None),
            "complained": ("complained", None),
            "unsubscribed": ("unsubscribed", None),
        },
        "automatic": ["queued", "delivered"],
    },
    "mailgun": {
        "send": {"api_url": f"{base}/providers/mailgun/v3/", "api_key": key, "sender_domain": "app.example"},
        "key": ("MAILGUN_WEBHOOK_SIGNING_KEY", "secret"),
        "types": {
            **common,
            "processed": ("queued", None),
            "dropped": ("bounced", "bounced"),
            "deferred": ("deferred", "other"),
            "bounced": ("bounced", "bounced"),
            "complained": ("complained", None),
            "unsubscribed": ("unsubscribed", None),
        },
        "automatic": ["queued", "delivered"],
    },
    "postmark": {
        "send": {"api_url": f"{base}/providers/postmark/", "server_token": key},
        "types": {
            **common,
            "deferred": ("deferred", None),
            "bounced": ("bounced", "bounced"),
            "complained": ("complained", "spam"),
            "unsubscribed": ("unsubscribed", "unsubscribed"),
        },
        "automatic": ["delivered"],
        "tags": 1,
    },
    "resend": {
        "send": {"api_url": f"{base}/providers/resend/", "api_key": key},
        "key": ("RESEND_SIGNING_SECRET", "secret"),
        "signs_body": True,
        "types": {
            **common,
            "processed": ("sent", None),
            "dropped": ("unknown", None),
            "deferred": ("deferred", None),
            "bounced": ("bounced", "bounced"),
            "complained": ("complained", None),
        },
        "automatic": ["sent", "delivered"],
    },
    "amazon_ses": {
        "name": "ses",
        "send": {},
        "types": {
            **common,
            "processed": ("sent", None),
            "dropped": ("rejected", "blocked"),
            "bounced": ("bounced", "bounced"),
            "complained": ("complained", "spam"),
        },
        "automatic": ["sent", "delivered"],
        # Anymail compares credentials only.
        "signed": False,
        # That of the notification, not of the event.
        "timestamp": False,
    },
    "brevo": {
        "send": {"api_url": f"{base}/providers/brevo/v3/", "api_key": key},
        "types": {
            **common,
            "processed": ("queued", None),
            "dropped": ("rejected", "blocked"),
            "deferred": ("deferred", None),
            "bounced": ("bounced", "bounced"),
            "complained": ("complained", "spam"),
            # Brevo documents `unsubscribed`; anymail, whose authors have not seen the event, expects `unsubscribe`.
            "unsubscribed": ("unknown", None),
        },
        "automatic": ["queued", "delivered"],
    },
    "mailjet": {
        "send": {"api_url": f"{base}/providers/mailjet/v3.1/", "api_key": key, "secret_key": "not-checked"},
        "types": {
            **common,
            "dropped": ("rejected", "blocked"),
            "bounced": ("bounced", "bounced"),
            "complained": ("complained", None),
            "unsubscribed": ("unsubscribed", None),
        },
        "automatic": ["delivered"],
        "tags": 1,
    },
}
