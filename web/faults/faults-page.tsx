import { type ReactElement, useState } from "react";
import { useClearFaults, useFaults, useHeld, useReplaceFaults } from "../api/faults.ts";
import { usePermissions } from "../api/permissions.ts";
import { pageStrings } from "../page-strings.ts";
import { Field, SelectField } from "../shared/field.tsx";
import { ConfirmButton, FormDialog } from "../shared/form.tsx";
import { formatBytes, formatInstant } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import { Cards, Page, Panel } from "../shared/page.tsx";
import { Table } from "../shared/table.tsx";
import type { Fault, FaultRule, HeldMessage } from "../wire.ts";
import { ruleOf } from "./describe-fault.ts";
import { FaultTable } from "./fault-table.tsx";

/** Fault rules of a server, with their counts. */
export function FaultsPage({ server }: { readonly server: string }): ReactElement {
  const { title, lead } = pageStrings.faults;
  return (
    <Page title={title} lead={lead}>
      <FaultsPanel server={server} />
      <HeldPanel server={server} />
    </Page>
  );
}

/** Fault rules of the whole service, with their counts. */
export function ServiceFaultsPage(): ReactElement {
  const { title, lead } = pageStrings["service-faults"];
  return (
    <Page title={title} lead={lead}>
      <FaultsPanel server={null} />
    </Page>
  );
}

function FaultsPanel({ server }: { readonly server: string | null }): ReactElement {
  const { data: faults, error } = useFaults(server);
  const { canManage } = usePermissions();
  return (
    <>
      {canManage && faults !== undefined && <Templates server={server} faults={faults} />}
      {error !== null && <ErrorNotice error={error} />}
      {faults !== undefined && faults.length > 0 && (
        <Panel className={layout.stack}>
          <FaultTable server={server} faults={faults} />
          {canManage && faults.length > 1 && <ClearButton server={server} />}
        </Panel>
      )}
    </>
  );
}

/** Cards that add a rule from a template. */
function Templates(props: { readonly server: string | null; readonly faults: readonly Fault[] }): ReactElement {
  const [chosen, setChosen] = useState<FaultTemplate | null>(null);
  const labels = pageStrings.faults;
  const cards = templateNames.map((name) => ({
    name: labels.templates[name],
    text: labels.templateHints[name],
    onSelect: () => setChosen(name),
  }));
  return (
    <>
      <Cards label={labels.add} cards={cards} />
      {chosen !== null && <AddFaultDialog {...props} initial={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

function ClearButton({ server }: { readonly server: string | null }): ReactElement {
  const action = useClearFaults(server);
  const labels = pageStrings.faults;
  return (
    <div>
      <ConfirmButton
        opener={labels.clear}
        variant="plain"
        title={labels.clearTitle}
        lead={labels.clearLead}
        label={labels.clearSubmit}
        action={action}
        input={undefined}
      />
    </div>
  );
}

/** Messages of a server that are accepted and not visible yet; nothing without any. */
function HeldPanel({ server }: { readonly server: string }): ReactElement | null {
  const { data: held, error } = useHeld(server);
  const labels = pageStrings.held;
  if (error === null && (held === undefined || held.length === 0)) return null;
  return (
    <Panel className={layout.stack}>
      <h2>{labels.title}</h2>
      <p className={layout.soft}>{labels.lead}</p>
      {error !== null && <ErrorNotice error={error} />}
      {held !== undefined && <HeldTable held={held} />}
    </Panel>
  );
}

function HeldTable({ held }: { readonly held: readonly HeldMessage[] }): ReactElement {
  const labels = pageStrings.held;
  return (
    <Table label={labels.title} heads={[labels.visibleAt, labels.from, labels.to, labels.rules, labels.size]}>
      {held.map((one) => (
        <tr key={one.id}>
          <td>{one.error ?? visibilityOf(one)}</td>
          <td className={layout.anywhere}>{one.from}</td>
          <td className={layout.anywhere}>{recipientsOf(one)}</td>
          <td className={layout.anywhere}>{one.faults.join(", ")}</td>
          <td>{formatBytes(one.sizeBytes)}</td>
        </tr>
      ))}
    </Table>
  );
}

function visibilityOf({ visibleAt, scanAt }: HeldMessage): string {
  if (scanAt === null) return formatInstant(visibleAt);
  return pageStrings.held.scanned(formatInstant(scanAt), formatInstant(visibleAt));
}

function recipientsOf({ to, recipients }: HeldMessage): string {
  return recipients > to.length ? pageStrings.held.more(to.join(", "), recipients - to.length) : to.join(", ");
}

/** Dialog that adds a rule from a template, after the others. */
function AddFaultDialog(props: {
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
        onChange={(value) => setTemplate(templateNames.find((one) => one === value) ?? template)}
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
type FaultTemplate = keyof typeof faultTemplates;

/** Names of the templates, in the order in which they are offered. */
const templateNames = Object.keys(faultTemplates) as readonly FaultTemplate[];

/** Returns the rule of a template, for all recipients unless one is given. */
function ruleOfTemplate(
  template: FaultTemplate,
  { name, recipient }: { readonly name: string; readonly recipient: string },
): FaultRule {
  const rule: Template = faultTemplates[template];
  return { name, ...rule, match: { ...rule.match, ...(recipient !== "" && { recipient }) } };
}
