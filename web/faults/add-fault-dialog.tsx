import { useState, type ReactElement } from "react";
import { useReplaceFaults } from "../api/faults.ts";
import { Field, SelectField } from "../shared/field.tsx";
import { FormDialog } from "../shared/form.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Fault, FaultRule } from "../wire.ts";
import { ruleOf } from "./describe-fault.ts";

/** Dialog that adds a rule from a template, after the others. */
export function AddFaultDialog(props: {
  readonly server: string | null;
  readonly faults: readonly Fault[];
  /** Template that is selected at first. */
  readonly initial: FaultTemplate;
  readonly onClose: () => void;
}): ReactElement {
  const { server, faults, initial, onClose } = props;
  const request = useReplaceFaults(server);
  const [template, setTemplate] = useState(initial);
  const [name, setName] = useState("");
  const [recipient, setRecipient] = useState("");
  const labels = pageStrings.faults;
  const submit = (): void => {
    const rule = ruleOfTemplate(template, { name: name || labels.templates[template], recipient });
    request.mutate([...faults.map(ruleOf), rule], { onSuccess: onClose });
  };
  return (
    <FormDialog title={labels.add} label={labels.submit} request={request} onSubmit={submit} onClose={onClose}>
      <SelectField
        label={labels.template}
        value={template}
        options={templateNames.map((one) => [one, labels.templates[one]])}
        onChange={(value) => {
          setTemplate(templateNames.find((one) => one === value) ?? template);
        }}
      />
      <Field
        label={labels.name}
        placeholder={labels.templates[template]}
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <Field label={labels.recipient} placeholder={labels.recipientHint} value={recipient} onChange={setRecipient} />
    </FormDialog>
  );
}

type Template = Pick<FaultRule, "match" | "when" | "then">;

/** Templates by name, in the order in which they are offered. */
const faultTemplates = {
  defer: {
    match: { stage: "rcpt" },
    when: { first: 3 },
    then: { reply: { code: 451, enhanced: "4.3.0", text: "Try again later" } },
  },
  reject: { match: { stage: "rcpt" }, then: { reply: { code: 550, enhanced: "5.1.1", text: "User unknown" } } },
  loseReply: { match: { stage: ["after-data", "request"] }, when: { first: 1 }, then: { loseReply: true } },
  greylist: { match: { stage: "rcpt" }, then: { greylist: { delayMs: 60_000 } } },
  slow: { match: { stage: ["after-data", "request"] }, then: { delayMs: 10_000 } },
  late: { match: { stage: ["after-data", "request"] }, then: { deliverAfterMs: 30_000 } },
  flaky: { match: { stage: "after-data" }, when: { probability: 0.2, seed: 1 }, then: { reply: { code: 451 } } },
  rateLimit: {
    match: { stage: "request" },
    when: { above: { count: 5, perMs: 10_000 } },
    then: { error: "rateLimited" },
  },
} as const satisfies Readonly<Record<string, Template>>;

/** Name of a template. */
export type FaultTemplate = keyof typeof faultTemplates;

/** Names of the templates, in the order in which they are offered. */
export const templateNames = Object.keys(faultTemplates) as readonly FaultTemplate[];

/** Returns the rule of a template, for all recipients unless one is given. */
function ruleOfTemplate(
  template: FaultTemplate,
  { name, recipient }: { readonly name: string; readonly recipient: string },
): FaultRule {
  const rule: Template = faultTemplates[template];
  return { name, ...rule, match: { ...rule.match, ...(recipient !== "" && { recipient }) } };
}
