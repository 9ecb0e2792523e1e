import { sign, type KeyObject } from "node:crypto";
import * as der from "../core/der.ts";
import { ecdsaWithSha256 } from "../core/x509.ts";
import { subjectAltName } from "./extensions.ts";

/** Returns the request for a certificate of these DNS names (PKCS #10, RFC 2986), in DER. `publicKey` and `privateKey` are ECDSA. */
export function certificateRequest(
  names: readonly string[],
  { publicKey, privateKey }: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
): Buffer {
  const extensionRequest = der.sequence(
    der.objectIdentifier("1.2.840.113549.1.9.14"),
    der.setOf(der.sequence(subjectAltName(names))),
  );
  const information = der.sequence(
    der.unsignedInteger(Buffer.of(0)),
    der.sequence(),
    publicKey.export({ type: "spki", format: "der" }),
    der.explicit(0, extensionRequest),
  );
  return der.sequence(information, ecdsaWithSha256, der.bitString(sign("sha256", information, privateKey)));
}
