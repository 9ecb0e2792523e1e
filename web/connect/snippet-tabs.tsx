import { useState, type ReactElement } from "react";
import { CodeBox } from "../shared/code-box.tsx";
import { Tabs } from "../shared/tabs.tsx";
import { strings } from "../strings.ts";
import styles from "./snippet-tabs.module.css";
import type { Snippet } from "./snippet.ts";

/** Snippets, one tab per framework. */
export function SnippetTabs({ snippets }: { readonly snippets: readonly Snippet[] }): ReactElement {
  const [selected, setSelected] = useState(snippets[0]?.name ?? "");
  const shown = snippets.find((snippet) => snippet.name === selected);
  return (
    <Tabs
      className={styles.connect}
      isVertical
      label={strings.connect.stacks}
      items={snippets.map(({ name }) => ({ name, text: name }))}
      selected={selected}
      onSelect={setSelected}
    >
      {shown !== undefined && <CodeBox file={shown.file} code={shown.code} />}
    </Tabs>
  );
}
