/** Migration from one version of the schema to the next. */
export interface Migration {
  readonly sql: string;
  /** True when older versions can go on using the database: only additions are of this kind. */
  readonly suitsOlderPrograms: boolean;
}
