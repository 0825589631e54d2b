/** What a page of the console is given: the server renders it, and the browser continues from it. No Node. */

/** The first state of a page. It is embedded in the document as JSON. */
export interface PageState<Name extends string = string, Data extends object = object> {
  readonly page: Name
  /** The address, with its parameters. */
  readonly path: string
  /** RFC 3339: when the server made it. */
  readonly at: string
  /** Left out: nobody has logged in. */
  readonly user?: { readonly name: string; readonly roles: readonly string[] }
  /** What forms and requests of this session send. Left out: nobody has logged in. */
  readonly csrf?: string
  /** Nothing can be done from here. */
  readonly is_read_only?: true
  /** Number of open questions and unresolved outcomes. */
  readonly waiting?: number
  /** What a form asked for and did not get. The page shows it where it was asked. */
  readonly refused?: {
    /** Left out: the form was about no run. */
    readonly run_id?: string
    readonly detail: string
    readonly hint?: string
    /** The fields of the form. */
    readonly given: Readonly<Record<string, string | readonly string[]>>
  }
  /** What answers, and where the runs are stored, for people. */
  readonly about?: {
    readonly version: string
    readonly engine: 'embedded' | 'temporal'
    readonly location: string
  }
  /** The answers of the API that the page shows, by their names. */
  readonly data: Data
}
