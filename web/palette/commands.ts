/** Commands of the palette: what they are called, and what they do. */
import { navigate } from "../navigation/location.tsx";
import { inboxPath, routePath } from "../navigation/routes.ts";
import { addressOf } from "../shared/format.ts";
import { strings } from "../strings.ts";
import type { Contact, Server, Summary } from "../wire.ts";

/** Command of the palette. */
export interface Command {
  /** Unique among the commands that are shown together. */
  readonly id: string;
  readonly name: string;
  /** Further text beside the name; "" for none. */
  readonly note: string;
  /** Message that the command opens; absent for other commands. */
  readonly message?: Pick<Summary, "received"> & { readonly people: string };
  readonly run: () => void;
}

/** Commands under one heading. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** Page that the palette opens; `note` tells what it belongs to, "" for nothing. */
export interface PalettePage {
  readonly name: string;
  readonly note: string;
  readonly href: string;
}

/** Action that the page offers to the palette. */
export interface Action {
  readonly name: string;
  readonly run: () => void;
}

/** Text that was typed before the palette was shown. */
export interface Typed {
  readonly text: string;
  /** True when Enter was pressed after the text. */
  readonly isEntered: boolean;
}

const labels = strings.palette;
const serverCountMax = 6;

/** Returns whether every word of a text is part of a name, ignoring letter case. */
export function isNamed(name: string, text: string): boolean {
  const folded = name.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word));
}

/** Returns the servers, pages and actions that a text names; all pages and actions for "". */
export function commandGroups(
  text: string,
  given: {
    readonly pages: readonly PalettePage[];
    readonly servers: readonly Server[];
    readonly actions: readonly Action[];
  },
): readonly CommandGroup[] {
  const { pages, servers, actions } = given;
  const wanted = text.trim();
  const serverCommands = servers
    .filter(({ id, name }) => isNamed(`${name} ${id}`, wanted))
    .slice(0, serverCountMax)
    .map(({ id, name }): Command => ({
      id: `server ${id}`,
      name,
      note: id,
      run: () => navigate(inboxPath(id)),
    }));
  const pageCommands = pages
    .filter(({ name, note }) => isNamed(`${name} ${note}`, wanted))
    .map(({ name, note, href }): Command => ({
      id: `page ${href}`,
      name,
      note,
      run: () => navigate(href),
    }));
  return [
    { title: labels.servers, commands: serverCommands },
    { title: labels.pages, commands: pageCommands },
    {
      title: labels.actions,
      commands: actions
        .filter(({ name }) => isNamed(name, wanted))
        .map(({ name, run }) => ({ id: `action ${name}`, name, note: "", run })),
    },
  ].filter(({ commands }) => commands.length > 0);
}

/** Returns the commands that open messages; they name the server where there are several. */
export function messageCommands(messages: readonly Summary[], servers: readonly Server[]): readonly Command[] {
  return messages.map(({ id, server, type, subject, summary, received, from, to, cc, bcc }) => ({
    id: `message ${id}`,
    name: type === "SMS" ? summary || strings.list.noText : subject || strings.list.noSubject,
    note: servers.length > 1 ? (servers.find((one) => one.id === server)?.name ?? server) : "",
    message: { received, people: peopleOf(from, [...to, ...cc, ...bcc]) },
    run: () => navigate(routePath({ kind: "mail", server, message: id, tab: null })),
  }));
}

/** Returns the name of the sender and the first recipient. */
function peopleOf([sender]: readonly Contact[], [recipient, ...others]: readonly Contact[]): string {
  const from = sender === undefined ? strings.rows.noSender : sender.name || addressOf(sender);
  const to = recipient === undefined ? strings.list.noRecipient : addressOf(recipient);
  return `${from} → ${to}${others.length > 0 ? ` ${strings.list.moreRecipients(others.length)}` : ""}`;
}
