import { useState, type ReactElement } from "react";
import { useReplaceFaults } from "../api/faults.ts";
import { Dialog } from "../shared/dialog.tsx";
import { TextAreaField } from "../shared/field.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Fault, FaultRule } from "../wire.ts";
import { ruleOf } from "./describe-fault.ts";

/** Dialog that changes a rule as JSON. The other rules keep their counts. */
export function EditFaultDialog(props: {
  readonly server: string | null;
  readonly faults: readonly Fault[];
  readonly fault: Fault;
  readonly onClose: () => void;
}): ReactElement {
  const { server, faults, fault, onClose } = props;
  const { mutate, error, isPending } = useReplaceFaults(server);
  const [text, setText] = useState(() => JSON.stringify(ruleOf(fault), null, 2));
  const [parseError, setParseError] = useState<Error | null>(null);
  const labels = pageStrings.faults;
  const submit = (): void => {
    const rule = parseRule(text);
    setParseError(rule instanceof Error ? rule : null);
    if (rule instanceof Error) return;
    const rules = faults.map((one) => (one.name === fault.name ? rule : ruleOf(one)));
    mutate(rules, { onSuccess: onClose });
  };
  return (
    <Dialog title={labels.editTitle(fault.name)} onClose={onClose}>
      <Form className={layout.stack} onSubmit={submit}>
        <TextAreaField label={labels.json} rows={14} spellCheck={false} value={text} onChange={setText} />
        <p className={layout.soft}>{labels.editLead}</p>
        <FormActions label={labels.save} error={parseError ?? error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

/** Returns the rule, which the service validates. */
function parseRule(text: string): FaultRule | Error {
  try {
    return JSON.parse(text) as FaultRule;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
