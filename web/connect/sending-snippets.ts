/** Snippets that configure an application to send to a server. */
import type { Snippet } from "./snippet.ts";

/** SMTP address, and credentials that direct all email to one server whatever its recipients. */
export interface SmtpValues {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** An address of the server. */
  readonly address: string;
}

/** Returns settings for common frameworks. */
export function sendingSnippets(settings: SmtpValues): readonly Snippet[] {
  return [nodemailer, rails, django, laravel, spring, shell].map((write) => write(settings));
}

function nodemailer({ host, port, user, password }: SmtpValues): Snippet {
  const code = `import nodemailer from "nodemailer";

const mail = nodemailer.createTransport({
  host: "${host}",
  port: ${port.toString()},
  secure: false,
  tls: { rejectUnauthorized: false },
  auth: { user: "${user}", pass: "${password}" },
});`;
  return { name: "nodemailer", file: "mail.ts", code };
}

function rails({ host, port, user, password }: SmtpValues): Snippet {
  const code = `config.action_mailer.delivery_method = :smtp
config.action_mailer.smtp_settings = {
  address: "${host}",
  port: ${port.toString()},
  user_name: "${user}",
  password: "${password}",
  authentication: :plain,
  openssl_verify_mode: "none",
}`;
  return { name: "Rails", file: "config/environments/test.rb", code };
}

function django({ host, port, user, password }: SmtpValues): Snippet {
  const code = `EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = "${host}"
EMAIL_PORT = ${port.toString()}
EMAIL_HOST_USER = "${user}"
EMAIL_HOST_PASSWORD = "${password}"
EMAIL_USE_TLS = False`;
  return { name: "Django", file: "settings.py", code };
}

function laravel({ host, port, user, password }: SmtpValues): Snippet {
  const code = `MAIL_MAILER=smtp
MAIL_HOST=${host}
MAIL_PORT=${port.toString()}
MAIL_USERNAME=${user}
MAIL_PASSWORD="${password}"
MAIL_ENCRYPTION=null`;
  return { name: "Laravel", file: ".env", code };
}

function spring({ host, port, user, password }: SmtpValues): Snippet {
  const code = `spring.mail.host=${host}
spring.mail.port=${port.toString()}
spring.mail.username=${user}
spring.mail.password=${password}
spring.mail.properties.mail.smtp.auth=true
spring.mail.properties.mail.smtp.starttls.enable=false`;
  return { name: "Spring", file: "application-test.properties", code };
}

function shell({ host, port, address }: SmtpValues): Snippet {
  const code = `printf 'Subject: Hello\\r\\n\\r\\nYour code is 804 219\\r\\n' |
  curl smtp://${host}:${port.toString()} --mail-from app@example.com --mail-rcpt ${address} -T -`;
  return { name: "Shell", file: "Terminal", code };
}
