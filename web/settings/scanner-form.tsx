import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { useScanner, useSetScanner } from "../api/server-settings.ts";
import { CheckField, Field, fieldsOf, optionsOf, SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";
import { FormContent } from "../shared/form.tsx";
import type { Scanner, ScannerSettings } from "../wire.ts";
import { confirmed, SettingsSection } from "./settings-section.tsx";

const labels = pageStrings.scanner;

const profiles = ["safelinks", "barracuda", "gmail-image-proxy", "custom"] as const;
const methodLists = ["HEAD GET", "GET", "HEAD", "GET HEAD"] as const;
const delayMsMax = 600_000;

/** Form for the link scanner of a server. */
export function ScannerForm({ server }: { readonly server: string }): ReactElement {
  const { data: scanner, error } = useScanner(server);
  return (
    <SettingsSection title={labels.title} lead={labels.lead} error={error}>
      {scanner !== undefined && <Fields key={JSON.stringify(scanner)} server={server} scanner={scanner} />}
    </SettingsSection>
  );
}

/** Values of the fields; empty ones are those of the profile. */
interface Draft {
  readonly profile: Scanner["profile"] | "off";
  readonly when: Scanner["when"] | "";
  readonly delayMs: string;
  readonly targets: Scanner["targets"] | "";
  readonly methods: string;
  readonly userAgent: string;
  readonly renders: boolean;
}

const ofProfile = { when: "", delayMs: "", targets: "", methods: "", userAgent: "", renders: false } as const;

function Fields({ server, scanner }: { readonly server: string; readonly scanner: Scanner | null }): ReactElement {
  const [draft, setDraft] = useState<Draft>(() => draftOf(scanner));
  const request = useSetScanner(server);
  const delayMs = Number(draft.delayMs);
  const isReadable = /^\d{0,6}$/.test(draft.delayMs) && delayMs <= delayMsMax;
  const submit = (): void => {
    if (isReadable) request.mutate(settingsOf(draft), confirmed);
  };
  return (
    <FormContent
      label={pageStrings.settings.save}
      request={request}
      canSubmit={isReadable && !(scanner === null && draft.profile === "off")}
      onSubmit={submit}
    >
      <SelectField
        label={labels.profile}
        value={draft.profile}
        options={[["off", labels.off], ...profiles.map((name) => [name, labels.profiles[name]] as const)]}
        onChange={(profile) => setDraft({ ...draft, ...ofProfile, profile })}
      />
      {draft.profile !== "off" && <Behaviour draft={draft} onChange={setDraft} />}
      {!isReadable && <p className={layout.bad}>{labels.wrongDelay}</p>}
    </FormContent>
  );
}

function Behaviour(props: { readonly draft: Draft; readonly onChange: (draft: Draft) => void }): ReactElement {
  const field = fieldsOf(props.draft, props.onChange);
  const same = ["", labels.asProfile] as const;
  return (
    <>
      <div className={clsx(layout.row, layout.wrap, layout.ends)}>
        <SelectField label={labels.when} {...field("when")} options={[same, ...optionsOf(labels.moments)]} />
        <SelectField label={labels.targets} {...field("targets")} options={[same, ...optionsOf(labels.targetNames)]} />
        <SelectField
          label={labels.methods}
          {...field("methods")}
          options={[same, ...methodLists.map((list) => [list, list.replace(" ", ", ")] as const)]}
        />
        <Field label={labels.delay} inputMode="numeric" {...field("delayMs")} />
      </div>
      <Field label={labels.userAgent} placeholder={labels.asProfile} maxLength={500} {...field("userAgent")} />
      <CheckField label={labels.renders} {...field("renders")} />
    </>
  );
}

function draftOf(scanner: Scanner | null): Draft {
  if (scanner === null) return { ...ofProfile, profile: "off" };
  const { methods, delayMs, ...others } = scanner;
  return { ...others, methods: methods.join(" "), delayMs: String(delayMs) };
}

/** Returns the settings of a draft, without the members that its profile determines; null for none. */
function settingsOf({ profile, when, delayMs, targets, methods, userAgent, renders }: Draft): ScannerSettings | null {
  if (profile === "off") return null;
  return {
    profile,
    ...(when === "" ? {} : { when }),
    ...(delayMs === "" ? {} : { delayMs: Number(delayMs) }),
    ...(targets === "" ? {} : { targets }),
    ...(methods === "" ? {} : { methods: methods.split(" ") as Scanner["methods"] }),
    ...(userAgent === "" ? {} : { userAgent }),
    ...(renders ? { renders } : {}),
  };
}
