/** Subscription of Microsoft Graph whose notifications have the subjects of mails, encrypted. */
import { constants, createDecipheriv, generateKeyPairSync, privateDecrypt } from "node:crypto";
import { signCertificate } from "../../src/core/x509.ts";
import type { ReceivedRequest } from "../../src/testing/http-listener.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";

/** Subscription. */
export interface GraphSubscription {
  readonly id: string;
  /** Returns the subjects in the notifications among the requests to an application, in order. */
  readonly subjectsIn: (requests: readonly ReceivedRequest[]) => readonly string[];
}

/** Returns the response of an application to the validation of its URL; its usual one to any other request. */
export function validationAnswer({ path }: Pick<ReceivedRequest, "path">): {
  readonly status: number;
  readonly body?: string;
} {
  const token = new URL(path, "http://application.example").searchParams.get("validationToken");
  return token === null ? { status: 204 } : { status: 200, body: token };
}

/** Subscribes to the unread messages of a user. */
export async function subscribeByGraph(
  service: ServiceAccess,
  { key, user, notificationUrl }: { readonly key: string; readonly user: string; readonly notificationUrl: string },
): Promise<GraphSubscription> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const [name, now] = ["application", Date.now()];
  const validity = { notBefore: now, notAfter: now + 3_600_000 };
  const certificate = signCertificate(
    { subject: name, issuer: name, ...validity, publicKey, extensions: [] },
    privateKey,
  );
  const response = await fetch(`${service.url}/providers/graph/v1.0/subscriptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      changeType: "created",
      notificationUrl,
      resource: `users/${user}/messages?$filter=isRead eq false&$select=subject`,
      expirationDateTime: new Date(now + 3_600_000),
      includeResourceData: true,
      encryptionCertificate: certificate.raw.toString("base64"),
      encryptionCertificateId: "tests",
    }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  const { id } = (await response.json()) as { readonly id: string };
  const subjectOf = (data: string, dataKey: string): string => {
    const oaep = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" };
    const secret = privateDecrypt(oaep, Buffer.from(dataKey, "base64"));
    const decipher = createDecipheriv("aes-256-cbc", secret, secret.subarray(0, 16));
    const json = Buffer.concat([decipher.update(Buffer.from(data, "base64")), decipher.final()]).toString("utf8");
    return (JSON.parse(json) as { readonly subject: string }).subject;
  };
  const { pathname } = new URL(notificationUrl);
  const subjectsIn: GraphSubscription["subjectsIn"] = (requests) =>
    requests
      .filter(({ path, body }) => path === pathname && body !== "")
      .flatMap(({ body }) => (JSON.parse(body) as { readonly value: readonly Notice[] }).value)
      .map(({ encryptedContent: { data, dataKey } }) => subjectOf(data, dataKey));
  return { id, subjectsIn };
}

interface Notice {
  readonly encryptedContent: { readonly data: string; readonly dataKey: string };
}
