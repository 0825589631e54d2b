import type { RunSummary } from '../../core/record/index.ts'
import type { PageName, PageState } from '../state.ts'

/** The state of one page, with the types of its answers of the API. */
export type StateOf<Name extends PageName> = Omit<PageState, 'page' | 'data'> & {
  readonly page: Name
  readonly data: PageData[Name]
}

/** The answers of the API that each page shows. */
export interface PageData {
  readonly now: { readonly runs: RunList }
  readonly inbox: object
  /** Filters are those of the address. */
  readonly runs: { readonly runs: RunList }
  readonly run: object
  readonly runbooks: object
  readonly runbook: object
  readonly events: object
  readonly schedules: object
  readonly system: object
  /** The one-time code of the address. */
  readonly login: { readonly code?: string }
  readonly problem: object
}

/** A page of the list of runs: `GET /api/v1/runs`. */
export interface RunList {
  readonly runs: readonly RunSummary[]
  /** The cursor of the next page. Left out: this is the last one. */
  readonly next?: string
}

/** The files of the pages, by their names before hashing: the contents of `dist/console/manifest.json`. */
export interface PageAssets {
  readonly 'console.js': string
  readonly 'console.css': string
}
