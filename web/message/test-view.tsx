import { clsx } from "clsx";
import { useMemo, type ReactElement, useState } from "react";
import { testSnippets } from "../connect/test-snippets.ts";
import { CodeBox } from "../shared/code-box.tsx";
import layout from "../shared/layout.module.css";
import { Tabs } from "../shared/tabs.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Message, Session } from "../wire.ts";

/** Tests that wait for this message, one per test framework. */
export function TestView({ message, session }: { readonly message: Message; readonly session: Session }): ReactElement {
  const tests = useMemo(() => testSnippets(message, session), [message, session]);
  const [selected, select] = useSnippetChoice();
  const shown = tests.find((test) => test.name === selected) ?? tests[0];
  return (
    <div className={layout.stack}>
      <p className={layout.soft}>{pageStrings.test.lead}</p>
      <Tabs
        label={pageStrings.test.stacks}
        items={tests.map(({ name }) => ({ name, text: name }))}
        selected={shown?.name ?? ""}
        onSelect={select}
        className={clsx(layout.stack, layout.tight)}
      >
        {shown !== undefined && <CodeBox file={shown.file} code={shown.code} />}
      </Tabs>
    </div>
  );
}

const storageKey = "restante.snippet";

/** Returns the name, "" at first, and a function that selects another. */
function useSnippetChoice(): readonly [string, (name: string) => void] {
  const [choice, setChoice] = useState(load);
  const select = (name: string): void => {
    setChoice(name);
    try {
      localStorage.setItem(storageKey, name);
    } catch {
      // Storage is disabled: the choice lasts until the tab is closed.
    }
  };
  return [choice, select];
}

function load(): string {
  try {
    return localStorage.getItem(storageKey) ?? "";
  } catch {
    // Storage is disabled.
    return "";
  }
}
