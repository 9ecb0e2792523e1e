import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useEffect, useId, useState, type KeyboardEvent, type ReactElement } from "react";
import { queryKeys } from "../api/query-keys.ts";
import { readServersPage, serversParameters } from "../api/searches.ts";
import { useServers } from "../api/servers.ts";
import { navigate } from "../navigation/location.tsx";
import { allReceived, allServersAddress } from "../navigation/mail-query.ts";
import { liveQuery } from "../navigation/query-text.ts";
import { Age } from "../shared/age.tsx";
import { Dialog } from "../shared/dialog.tsx";
import fieldStyles from "../shared/field.module.css";
import layout from "../shared/layout.module.css";
import { useSettled } from "../shared/use-settled.ts";
import { strings } from "../strings.ts";
import type { Summary } from "../wire.ts";
import {
  commandGroups,
  messageCommands,
  type Action,
  type Command,
  type CommandGroup,
  type PalettePage,
  type Typed,
} from "./commands.ts";
import styles from "./palette.module.css";

const labels = strings.palette;
const messageCount = 6;
const pauseMs = 60;

/** Props of {@link Palette}. */
interface PaletteProps {
  readonly pages: readonly PalettePage[];
  readonly actions: readonly Action[];
  /** Typed before the palette was shown; its Enter runs the command that it would run now. */
  readonly typed: Typed;
  readonly onClose: () => void;
}

/** Dialog that finds servers, pages, actions and messages of all servers by their names, and runs the chosen one. */
export function Palette(props: PaletteProps): ReactElement {
  const { onClose } = props;
  const listId = useId();
  const { text, type, groups, commands, active, run, onKeyDown } = usePalette(props);
  const optionId = (command: Command): string => `${listId}-${command.id}`.replaceAll(/\s/g, "_");
  const activeId = active === undefined ? undefined : optionId(active);
  useScrolledIntoView(activeId ?? null);
  return (
    <Dialog title={labels.title} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        <input
          ref={focusInput}
          className={clsx(fieldStyles.input, styles.input)}
          role="combobox"
          aria-label={labels.label}
          aria-autocomplete="list"
          aria-expanded={commands.length > 0}
          aria-controls={listId}
          aria-activedescendant={activeId}
          placeholder={labels.placeholder}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </form>
      <span role="status" className={layout.visuallyHidden}>
        {labels.count(commands.length)}
      </span>
      <CommandList id={listId} groups={groups} activeId={active?.id ?? null} optionId={optionId} onChoose={run} />
    </Dialog>
  );
}

/** Focuses the input when it is mounted: the dialog does so later, and keys pressed until then would be lost. */
function focusInput(input: HTMLInputElement | null): void {
  input?.focus({ preventScroll: true });
}

interface PaletteState {
  readonly text: string;
  readonly type: (text: string) => void;
  readonly groups: readonly CommandGroup[];
  readonly commands: readonly Command[];
  /** Command that Enter runs; undefined without commands. */
  readonly active: Command | undefined;
  readonly run: (command: Command) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

function usePalette({ pages, actions, typed, onClose }: PaletteProps): PaletteState {
  const [text, setText] = useState(typed.text);
  const [activeId, setActiveId] = useState<string | null>(null);
  const { data: servers = [] } = useServers();
  const { messages, isFormer } = useMessages(text);
  const found = [...messageCommands(messages, servers), ...searchCommand(text)];
  const title = text.trim() === "" ? labels.recent : labels.messages;
  const named = commandGroups(text, { pages, servers, actions });
  const groups = found.length === 0 ? named : [...named, { title, commands: found }];
  const commands = groups.flatMap((group) => group.commands);
  const chosenAt = commands.findIndex(({ id }) => id === activeId);
  // Enter right after typing must not open a message of the former text.
  const firstAt = isFormer ? commands.findIndex(({ message }) => message === undefined) : 0;
  const at = Math.max(0, chosenAt < 0 ? firstAt : chosenAt);
  const active = commands[at];
  const run = (command: Command): void => {
    onClose();
    command.run();
  };
  useEffect(() => {
    if (typed.isEntered && active !== undefined) run(active);
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies -- once, when it is shown
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
    if (event.key !== "Enter" && step === 0) return;
    event.preventDefault();
    if (step !== 0) setActiveId(commands[(at + step + commands.length) % Math.max(1, commands.length)]?.id ?? null);
    else if (active !== undefined) run(active);
  };
  const type = (next: string): void => {
    setText(next);
    setActiveId(null);
  };
  return { text, type, groups, commands, active, run, onKeyDown };
}

function CommandList(props: {
  readonly id: string;
  readonly groups: readonly CommandGroup[];
  readonly activeId: string | null;
  readonly optionId: (command: Command) => string;
  readonly onChoose: (command: Command) => void;
}): ReactElement {
  const { id, groups, activeId, optionId, onChoose } = props;
  return (
    <div id={id} role="listbox" aria-label={labels.results} className={styles.list}>
      {groups.map(({ title, commands }) => (
        <div key={title} role="group" aria-label={title}>
          <div className={styles.title} aria-hidden>
            {title}
          </div>
          {commands.map((command) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the box has the focus and handles the keys
            <div
              key={command.id}
              id={optionId(command)}
              role="option"
              className={styles.option}
              aria-selected={command.id === activeId}
              // The focus stays in the box.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onChoose(command)}
            >
              <CommandLabel command={command} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function CommandLabel({ command: { name, note, message } }: { readonly command: Command }): ReactElement {
  if (message === undefined) {
    return (
      <>
        <span className={layout.clip}>{name}</span>
        <span className={styles.note}>{note}</span>
      </>
    );
  }
  return (
    <>
      <span className={styles.message}>
        <span className={layout.clip}>{name}</span>
        <span className={clsx(styles.people, layout.clip)}>{message.people}</span>
      </span>
      <span className={clsx(styles.note, styles.message)}>
        <Age instant={message.received} />
        <span className={layout.clip}>{note}</span>
      </span>
    </>
  );
}

/** Returns the newest messages of all servers that match a text, or `isFormer` and those of the former text until they are loaded. */
function useMessages(text: string): { readonly messages: readonly Summary[]; readonly isFormer: boolean } {
  const wanted = liveQuery({ chips: [], text });
  const q = useSettled(wanted, pauseMs);
  const parameters = serversParameters({ ...allReceived, q }, messageCount);
  const { data, isPlaceholderData } = useQuery({
    queryKey: [...queryKeys.allServers, "palette", parameters],
    queryFn: async ({ signal }) => readServersPage(parameters, signal),
    placeholderData: keepPreviousData,
  });
  return { messages: data?.items ?? [], isFormer: q !== wanted || isPlaceholderData };
}

function searchCommand(text: string): readonly Command[] {
  const q = text.trim();
  if (q === "") return [];
  const run = (): void => navigate(allServersAddress({ ...allReceived, q }, null));
  return [{ id: "search", name: labels.search(q), note: "", run }];
}

function useScrolledIntoView(id: string | null): void {
  useEffect(() => {
    if (id !== null) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);
}
