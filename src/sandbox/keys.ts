/** The people of the sandbox, one key each. Permissions, teams and accounts follow from this table. */

/** The account of the sandbox's fixtures. */
export const mainAccount = 1001

/** A second account: everything of the first one is foreign to it. */
export const otherAccount = 2002

export type Permission = 'ai-sre' | 'rum' | 'on-call'

/** Who calls: what a key stands for. */
export interface Caller {
  readonly key: string
  readonly description: string
  readonly accountId: number
  readonly userId: number
  readonly isOwner: boolean
  readonly teams: readonly number[]
  readonly permissions: readonly Permission[]
}

const callers: readonly Caller[] = [
  {
    key: 'sandbox-owner',
    description: 'owner of the account, in teams 1 and 2, may do everything',
    accountId: mainAccount,
    userId: 501,
    isOwner: true,
    teams: [1, 2],
    permissions: ['ai-sre', 'rum', 'on-call'],
  },
  {
    key: 'sandbox-member',
    description: 'member of team 1 with ai-sre, rum and on-call; not in team 2, no account-level agents',
    accountId: mainAccount,
    userId: 502,
    isOwner: false,
    teams: [1],
    permissions: ['ai-sre', 'rum', 'on-call'],
  },
  {
    key: 'sandbox-guest',
    description: 'a valid key of the account without any permission',
    accountId: mainAccount,
    userId: 503,
    isOwner: false,
    teams: [],
    permissions: [],
  },
  {
    key: 'sandbox-other',
    description: 'owner of another account, in its team 3',
    accountId: otherAccount,
    userId: 601,
    isOwner: true,
    teams: [3],
    permissions: ['ai-sre', 'rum', 'on-call'],
  },
]

/** The keys that the sandbox knows, with one line on each for help texts. */
export const sandboxKeys: readonly { readonly key: string; readonly description: string }[] = callers.map(
  ({ key, description }) => ({ key, description }),
)

const byKey = new Map(callers.map((caller) => [caller.key, caller]))

export function findCaller(appKey: unknown): Caller | undefined {
  return typeof appKey === 'string' ? byKey.get(appKey) : undefined
}

/** Whether any caller of the account is in the team. */
export function hasTeam(accountId: number, teamId: number): boolean {
  return callers.some((caller) => caller.accountId === accountId && caller.teams.includes(teamId))
}
