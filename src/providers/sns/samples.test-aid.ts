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

/** Returns a parameter of the action, or a message attribute. */
function furtherField(name: string, value: string): FormFields {
  if (/^(?:Subject|Message)/.test(name)) return [[name, value]];
  const entry = "MessageAttributes.entry.2";
  return [
    [`${entry}.Name`, name],
    [`${entry}.Value.DataType`, "String"],
    [`${entry}.Value.StringValue`, value],
  ];
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
    // https://docs.aws.amazon.com/sns/latest/api/API_Publish.html and …/dg/sms_publish-to-phone.html
    furtherFields: {
      Subject: "Subject 7",
      MessageDeduplicationId: "dedupe-7",
      MessageGroupId: "group-7",
      "AWS.SNS.SMS.SMSType": "Promotional",
      "AWS.SNS.SMS.MaxPrice": "0.0417",
      "AWS.MM.SMS.EntityId": "1101456324675322134",
      "AWS.MM.SMS.TemplateId": "1107457532145798767",
      custom: "custom-7",
    },
    send: ({ from, to, text }, { key, fields = {} }) => {
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
          ...Object.entries(fields).flatMap(([name, value]) => furtherField(name, value)),
        ],
        key,
      );
    },
    idOf: (response) => elementsOf(response, "MessageId")[0] ?? "",
    errorOf: (response) => (response.status < 400 ? null : (elementsOf(response, "Code")[0] ?? null)),
  },
};
