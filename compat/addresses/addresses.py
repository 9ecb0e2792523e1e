"""Prints which address validators of Python accept: one JSON object by name of the validator, then by address."""

import json
import sys

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email as validate_django
from email_validator import EmailNotValidError, validate_email
from pydantic import BaseModel, EmailStr
from pydantic import ValidationError as ModelError

settings.configure(USE_I18N=False)


class SignUp(BaseModel):
    email: EmailStr


def accepts(validate, address):
    try:
        validate(address)
    except (EmailNotValidError, ModelError, ValidationError):
        return False
    return True


validators = {
    "email-validator (without DNS)": lambda address: validate_email(address, check_deliverability=False),
    "Pydantic EmailStr": lambda address: SignUp(email=address),
    "Django EmailField": validate_django,
}
print(
    json.dumps(
        {name: {one: accepts(validate, one) for one in sys.argv[1:]} for name, validate in validators.items()}
    )
)
