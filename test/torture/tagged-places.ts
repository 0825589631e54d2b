import type { SeenRequest } from './sandbox-process.ts'

/**
 * Which step a request came from. The application it is about is named after its run and the step that creates it; the
 * other steps about it stand beside that one.
 */
export function placeOfTagged(request: SeenRequest, applications: ReadonlyMap<string, string>): string {
  const [, place = ''] = nameOf(request, applications).split(':')
  const step = place.endsWith('/round')
    ? besideRound[request.operation ?? '']
    : beside[request.operation ?? '']
  return step === undefined ? place : place.replace(/[^/]*$/, step)
}

/** The run that a request belongs to, by its input. */
export function tagOf(request: SeenRequest, applications: ReadonlyMap<string, string>): string {
  return nameOf(request, applications).split(':')[0] ?? ''
}

function nameOf({ operation, body }: SeenRequest, applications: ReadonlyMap<string, string>): string {
  if (operation === 'E2') return String(body['application_name'])
  return applications.get(String(body['application_id'] ?? body['application_ids'])) ?? ''
}

const beside: Readonly<Record<string, string>> = { E3: 'look', E7: 'off' }
const besideRound: Readonly<Record<string, string>> = { E3: 'seen' }

/** Steps of clean-up: carried out once for each ending. */
export const cleanUpPlaces: readonly string[] = ['bill', 'bye']

/** Every create of a run of `hosts.yaml` that goes well. */
export const hostsCreates: readonly string[] = [
  'app',
  ...[0, 1, 2, 3, 4].map((n) => `hosts[${n}]/made`),
  ...[0, 1, 2].map((n) => `rounds[${n}]/round`),
  'last',
]
