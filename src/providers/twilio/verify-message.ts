import type { CodeMessage } from "../one-time-code.ts";
import type { Verification } from "./verification.ts";
import type { VerificationRequest } from "./verify-request.ts";
import type { VerifyService } from "./verify-service.ts";

const smsSender = "Verify";
const mailSender = "verify@twilio.example";

/** Returns the message that carries the code of a verification; that of a call contains the spoken text. */
export function codeMessageOf(
  { sid, to, code }: Verification,
  { channel, customFriendlyName, appHash, from, fromName }: VerificationRequest,
  { sid: service, friendlyName, doNotShareWarningEnabled }: VerifyService,
): CodeMessage {
  const isEmail = channel === "email";
  const name = customFriendlyName ?? friendlyName;
  const subject = `Your ${name === "" ? "" : `${name} `}verification code`;
  const sentence = `${subject} is: ${code}`;
  const warning = ". Don't share this code with anyone; our employees will never ask for the code";
  const isWarned = doNotShareWarningEnabled && channel === "sms";
  const hash = channel === "sms" ? appHash : null;
  const text = isWarned ? sentence + warning : sentence;
  return {
    to,
    isEmail,
    name: fromName ?? (name === "" ? "Verify" : name),
    from: isEmail ? (from ?? mailSender) : smsSender,
    subject,
    text: hash === null ? text : `<#> ${text}\n${hash}`,
    providerId: sid,
    metadata: { channel, service },
  };
}
