import type { FormFields } from "../../core/read-form.ts";
import type { ProviderRequest, ProviderResponse } from "../provider.ts";
import { formRequest, type ProviderSamples } from "../conformance/samples.test-aid.ts";

/** Returns a request that calls an action. */
export function actionRequest(action: string, fields: FormFields, key: string): ProviderRequest {
  const credential = `${key}/20261120/eu-west-1/sns/aws4_request`;
  const headers = {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date, Signature=00`,
    "content-type": "application/x-www-form-urlencoded",
  };
  return formRequest([["Action", action], ["Version", "2010-03-31"], ...fields], { path: "/", key, headers });
}

/** Returns the texts of the elements with this name. */
export function elementsOf({ body }: ProviderResponse, name: string): readonly string[] {
  return Array.from(
    (body?.text ?? "").matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g")),
    ([, text = ""]) => text,
  );
}

/** Requests in the format of Amazon SNS. */
export const samples: ProviderSamples = {
  sms: {
    sendPath: "/",
    lacksCallbacks: true,
    acceptsUnsubscribed: true,
    send: ({ from, to, text }, { key }) => {
      const attribute = from.startsWith("+") ? "AWS.MM.SMS.OriginationNumber" : "AWS.SNS.SMS.SenderID";
      const entry = "MessageAttributes.entry.1";
      return actionRequest(
        "Publish",
        [
          ["PhoneNumber", to],
          ["Message", text],
          [`${entry}.Name`, attribute],
          [`${entry}.Value.DataType`, "String"],
          [`${entry}.Value.StringValue`, from],
        ],
        key,
      );
    },
    idOf: (response) => elementsOf(response, "MessageId")[0] ?? "",
    errorOf: (response) => (response.status < 400 ? null : (elementsOf(response, "Code")[0] ?? null)),
  },
};
