import { useState, type ReactElement } from "react";
import { useReplaceFaults } from "../api/faults.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Field, SelectField } from "../shared/field.tsx";
import { Form, FormActions } from "../shared/form.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import type { Fault } from "../wire.ts";
import { ruleOf } from "./describe-fault.ts";
import { ruleOfTemplate, templateNames, type FaultTemplate } from "./fault-templates.ts";

/** Dialog that adds a rule from a template, after the others. */
export function AddFaultDialog(props: {
  readonly server: string | null;
  readonly faults: readonly Fault[];
  readonly onClose: () => void;
}): ReactElement {
  const { server, faults, onClose } = props;
  const { mutate, error, isPending } = useReplaceFaults(server);
  const [template, setTemplate] = useState<FaultTemplate>("defer");
  const [name, setName] = useState("");
  const [recipient, setRecipient] = useState("");
  const labels = pageStrings.faults;
  const submit = (): void => {
    const rule = ruleOfTemplate(template, { name: name || labels.templates[template], recipient });
    mutate([...faults.map(ruleOf), rule], { onSuccess: onClose });
  };
  return (
    <Dialog title={labels.add} onClose={onClose}>
      <Form className={layout.stack} onSubmit={submit}>
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
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
        <Field
          label={labels.recipient}
          placeholder={labels.recipientHint}
          value={recipient}
          onChange={(event) => {
            setRecipient(event.target.value);
          }}
        />
        <FormActions label={labels.submit} error={error} isPending={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
