/** What the loader knows of the hooks of a project, by name. */
export type KnownHooks = Readonly<Record<string, { readonly format?: 'incident' }>>
