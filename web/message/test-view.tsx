import { useId, useMemo, useState, type ReactElement } from "react";
import { testSnippets } from "../connect/test-snippets.ts";
import { CodeBox } from "../shared/code-box.tsx";
import { Tabs } from "../shared/tabs.tsx";
import { strings } from "../strings.ts";
import type { Message, Session } from "../wire.ts";

/** A ready test for each runner that waits for exactly this message. */
export function TestView({ message, session }: { readonly message: Message; readonly session: Session }): ReactElement {
  const tests = useMemo(() => testSnippets(message, session), [message, session]);
  const [selected, setSelected] = useState(tests[0]?.name ?? "");
  const panelId = useId();
  const shown = tests.find((test) => test.name === selected);
  return (
    <div className="stack">
      <p className="soft">{strings.test.lead}</p>
      <Tabs
        label={strings.test.stacks}
        items={tests.map(({ name }) => ({ name, label: name }))}
        selected={selected}
        panelId={panelId}
        onSelect={setSelected}
      />
      <div id={panelId} role="tabpanel" aria-label={selected}>
        {shown !== undefined && <CodeBox file={shown.file} code={shown.code} />}
      </div>
    </div>
  );
}
