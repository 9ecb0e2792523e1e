import { Monitor, Moon, Sun } from "lucide-react";

/** Icons of the colour themes. */
export const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const;
