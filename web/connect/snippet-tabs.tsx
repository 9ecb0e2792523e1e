import type { ReactElement } from "react";
import { CodeBox } from "../shared/code-box.tsx";
import { useStoredChoice } from "../shared/stored-choice.ts";
import { Tabs } from "../shared/tabs.tsx";
import styles from "./snippet-tabs.module.css";
import type { Snippet } from "./snippet.ts";

/** Snippets, one tab per framework; the browser remembers the selected one under `storageKey`. */
export function SnippetTabs(props: {
  readonly label: string;
  readonly storageKey: string;
  readonly snippets: readonly Snippet[];
}): ReactElement {
  const { label, storageKey, snippets } = props;
  const names = snippets.map(({ name }) => name);
  const [selected, select] = useStoredChoice(storageKey, names);
  const shown = snippets.find(({ name }) => name === selected);
  return (
    <Tabs
      className={styles.connect}
      isVertical
      label={label}
      items={names.map((name) => ({ name, text: name }))}
      selected={selected}
      onSelect={select}
    >
      {shown !== undefined && <CodeBox file={shown.file} code={shown.code} />}
    </Tabs>
  );
}
