import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";
import starlightLinksValidator from "starlight-links-validator";
import starlightOpenAPI, { openAPISidebarGroups } from "starlight-openapi";
import { base } from "./paths.ts";
import { guideGroups } from "./sidebar.ts";

export default defineConfig({
  site: process.env["DOCS_SITE"] ?? "http://localhost",
  base,
  trailingSlash: "always",
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: "restante",
      description: "Mail and SMS for tests, on your own machine",
      plugins: [
        starlightOpenAPI([
          {
            base: "api",
            schema: ".generated/openapi.json",
            sidebar: {
              label: "Operations (OpenAPI)",
              collapsed: true,
              operations: { labels: "path", badges: true },
            },
          },
        ]),
        starlightLinksValidator({ errorOnLocalLinks: false }),
      ],
      sidebar: [
        { label: "Overview", link: "/" },
        { label: "Guide", link: "/guide/" },
        ...guideGroups(),
        {
          label: "Reference",
          collapsed: true,
          items: [{ autogenerate: { directory: "reference" } }, "compatibility", "specifications"],
        },
        ...openAPISidebarGroups,
        { label: "Project", collapsed: true, items: [{ autogenerate: { directory: "project" } }] },
        { label: "Decisions", collapsed: true, items: [{ autogenerate: { directory: "decisions" } }] },
      ],
    }),
  ],
});
