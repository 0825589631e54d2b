/** The filters of the list of runs, as the address has them. */
export interface RunFilters {
  readonly status: readonly string[]
  readonly runbook: string
  readonly text: string
  readonly label: readonly string[]
  readonly since: string
  readonly until: string
  /** The cursor of the page. */
  readonly after: string
}

/** The filters of an address. */
export function readFilters(path: string): RunFilters {
  const { searchParams: query } = new URL(path, 'http://console')
  return {
    status: query.getAll('status').flatMap((text) => text.split(',')),
    runbook: query.get('runbook') ?? '',
    text: query.get('text') ?? '',
    label: query.getAll('label'),
    since: query.get('since') ?? '',
    until: query.get('until') ?? '',
    after: query.get('after') ?? '',
  }
}

/** Filters as the query of an address. */
export function queryOf(filters: RunFilters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== '') query.append(name, one)
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}
