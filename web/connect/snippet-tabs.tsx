import { useId, useState, type ReactElement } from "react";
import { CodeBox } from "../shared/code-box.tsx";
import { Tabs } from "../shared/tabs.tsx";
import { strings } from "../strings.ts";
import type { Snippet } from "./snippet.ts";

/** Snippets to choose from by their stack. */
export function SnippetTabs({ snippets }: { readonly snippets: readonly Snippet[] }): ReactElement {
  const [selected, setSelected] = useState(snippets[0]?.name ?? "");
  const panelId = useId();
  const shown = snippets.find((snippet) => snippet.name === selected);
  return (
    <div className="connect">
      <Tabs
        isVertical
        label={strings.connect.stacks}
        items={snippets.map(({ name }) => ({ name, label: <span>{name}</span> }))}
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
