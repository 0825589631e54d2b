import { type Application, newApplication } from './applications.ts'
import { fixtureApplications, fixturePostMortems, type PostMortem } from './fixtures.ts'
import { deriveId, type IdKind } from './ids.ts'
import type { JsonObject } from './json.ts'

/** An agent that E1 registered. */
export interface Agent {
  readonly agent_id: string
  readonly account_id: number
  readonly created_by: number
  readonly created_at: number
  /** The request, its credentials masked as the document says. */
  readonly request: JsonObject
}

/** One entry of the account's audit log: E1, E2, E7 and E8 write there. */
export interface AuditEntry {
  readonly at: number
  readonly account_id: number
  readonly user_id: number
  readonly key: string
  readonly operation: string
  readonly request_id: string
  readonly detail: JsonObject
}

/** What a world is made of, as plain data: the contents of a state file. */
export interface WorldState {
  readonly seed: string
  readonly counters: Readonly<Record<string, number>>
  readonly agents: readonly Agent[]
  readonly applications: readonly Application[]
  readonly post_mortems: readonly PostMortem[]
  readonly audit: readonly AuditEntry[]
}

/** Everything in the sandbox that calls can change. */
export interface World {
  readonly seed: string
  /** Rises with every change. */
  changes(): number
  /** The next id of its kind; the same seed gives the same ids in the same order. */
  nextId(kind: IdKind): string
  readonly agents: ReadonlyMap<string, Agent>
  readonly applications: ReadonlyMap<string, Application>
  readonly postMortems: ReadonlyMap<string, PostMortem>
  readonly audit: readonly AuditEntry[]
  putAgent(agent: Agent): void
  putApplication(application: Application): void
  putPostMortem(postMortem: PostMortem): void
  addAudit(entry: AuditEntry): void
  state(): WorldState
}

/** The world as it is on the first day, the fixtures in it. */
export function firstDay(seed: string): WorldState {
  return {
    seed,
    counters: {},
    agents: [],
    applications: fixtureApplications.map(({ origin, isEnabled, ...input }) => {
      const application = newApplication(input, origin)
      return isEnabled
        ? application
        : { ...application, record: { ...application.record, status: 'disabled' } }
    }),
    post_mortems: fixturePostMortems,
    audit: [],
  }
}

/** A world that starts from `initial`, with a count of changes that starts from `changes`. */
export function createWorld(initial: WorldState, changes = 0): World {
  const counters = new Map(Object.entries(initial.counters))
  const agents = new Map(initial.agents.map((agent) => [agent.agent_id, agent]))
  const applications = new Map(initial.applications.map((item) => [item.application_id, item]))
  const postMortems = new Map(initial.post_mortems.map((item) => [item.post_mortem_id, item]))
  const audit = [...initial.audit]
  let changed = changes
  return {
    seed: initial.seed,
    changes: () => changed,
    nextId(kind) {
      const count = (counters.get(kind) ?? 0) + 1
      counters.set(kind, count)
      changed += 1
      return deriveId(kind, `${initial.seed}/${count}`)
    },
    agents,
    applications,
    postMortems,
    audit,
    putAgent(agent) {
      agents.set(agent.agent_id, agent)
      changed += 1
    },
    putApplication(application) {
      applications.set(application.application_id, application)
      changed += 1
    },
    putPostMortem(postMortem) {
      postMortems.set(postMortem.post_mortem_id, postMortem)
      changed += 1
    },
    addAudit(entry) {
      audit.push(entry)
      changed += 1
    },
    state: () => ({
      seed: initial.seed,
      counters: Object.fromEntries(counters),
      agents: [...agents.values()],
      applications: [...applications.values()],
      post_mortems: [...postMortems.values()],
      audit,
    }),
  }
}
