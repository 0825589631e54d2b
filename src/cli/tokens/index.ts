/** `opsbook tokens`: tokens for the API of the console. */

import {
  type ConsoleStore,
  hasConsoleStore,
  openConsoleStore,
  roles,
  type TokenRecord,
} from '../../console/store/index.ts'
import { longestName, nameProblem } from '../../core/people/index.ts'
import { suggest } from '../../core/text/index.ts'
import { parseDuration } from '../../core/times/index.ts'
import { systemIdentity } from '../../engine/record/index.ts'
import { prepareDataDir, readDataDir } from '../../project/configuration/index.ts'
import { CommandError, type DataDirFlags } from '../../project/index.ts'
import { printableLine, readMoment, readWords } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { columns } from '../shared/terminal/columns.ts'
import { momentText } from '../shared/terminal/quantity-text.ts'

/** The flags of `tokens`, as the parser hands them over. */
export interface TokensFlags extends DataDirFlags, OutputFlags {}

/** The flags of `tokens create`, as the parser hands them over. */
export interface CreateTokenFlags extends TokensFlags {
  readonly role: readonly string[]
  readonly expires: string
  readonly agent?: boolean
}

/** Makes a token, and prints it once. */
export async function createToken(
  context: CommandContext,
  name: string,
  flags: CreateTokenFlags,
): Promise<void> {
  const given = [...new Set(readWords(flags.role, roles, 'there is no role'))]
  const expiresMs = readExpiry(flags.expires, Date.now())
  const ofPeople = given.filter((role) => role === 'approver' || role === 'admin')
  if (flags.agent === true && ofPeople.length > 0)
    throw new CommandError(
      'usage',
      `a program has no role ${ofPeople.join(', ')}: people answer, and decide`,
      { hints: ['leave --agent out for the token of a person, or give it the role viewer or operator'] },
    )
  if (name.trim() === '' || name.length > longestName)
    throw new CommandError('usage', `the name of a token has 1 to ${longestName} characters`)
  const unclear = nameProblem(name)
  if (unclear !== undefined) throw new CommandError('usage', unclear)
  const dataDir = await readDataDir(flags, context.io)
  await prepareDataDir(dataDir)
  return withStore(dataDir, (store) => {
    const { record, token } = store.tokens.create({
      by: { name, source: flags.agent === true ? 'agent' : 'token', verified: true },
      roles: given,
      created_by: systemIdentity(),
      expiresMs,
    })
    addToAudit(store, 'create', record)
    if (flags.output === 'json') answerJson(context, { ...record, token })
    else
      answer(context, [
        `token ${record.id} of ${printableLine(name)}: ${given.join(', ')}, until ${momentText(expiresMs)}`,
        `  ${token}`,
        '  it is not shown again; send it as "Authorization: Bearer TOKEN"',
      ])
  })
}

/** Lists the tokens, the newest first. */
export async function listTokens(context: CommandContext, flags: TokensFlags): Promise<void> {
  const dataDir = await readDataDir(flags, context.io)
  const all = hasConsoleStore(dataDir) ? withStore(dataDir, ({ tokens }) => tokens.list()) : []
  if (flags.output === 'json') return answerJson(context, { tokens: all })
  if (all.length === 0) return answer(context, 'no tokens')
  const head = ['ID', 'OF', 'ROLES', 'CREATED', 'ENDS', 'STATE']
  const rows = all.map((token) => [
    token.id,
    `${printableLine(token.by.name)} (${token.by.source})`,
    token.roles.join(','),
    momentText(Date.parse(token.created_at)),
    momentText(Date.parse(token.expires_at)),
    stateOf(token),
  ])
  answer(
    context,
    columns([head, ...rows], (cell, row) => (row === 0 ? context.paint.dim(cell) : cell)),
  )
}

/** Refuses a token from now on. */
export async function revokeToken(context: CommandContext, id: string, flags: TokensFlags): Promise<void> {
  const dataDir = await readDataDir(flags, context.io)
  // A token that is looked for in another folder leaves nothing there.
  if (!hasConsoleStore(dataDir)) throw noToken(id, [], dataDir)
  return withStore(dataDir, (store) => {
    const record = store.tokens.revoke(id)
    if (record === undefined) throw noToken(id, store.tokens.list(), dataDir)
    addToAudit(store, 'revoke', record)
    if (flags.output === 'json') answerJson(context, record)
    else answer(context, `token ${record.id} of ${printableLine(record.by.name)} is revoked`)
  })
}

function noToken(id: string, tokens: readonly TokenRecord[], dataDir: string): CommandError {
  const known = tokens.map((token) => token.id)
  return new CommandError('usage', `there is no token ${JSON.stringify(id)} in ${dataDir}`, {
    hints: [
      known.length === 0 ? 'name the data directory of its console with --data-dir' : suggest(id, known),
    ],
  })
}

function withStore<T>(dataDir: string, work: (store: ConsoleStore) => T): T {
  const store = openConsoleStore(dataDir)
  try {
    return work(store)
  } finally {
    store.close()
  }
}

/** Tokens are made on this machine: the audit of the console has these acts too. */
function addToAudit({ audit }: ConsoleStore, what: 'create' | 'revoke', { id, by }: TokenRecord): void {
  const act = {
    by: systemIdentity(),
    address: 'local',
    act: `tokens ${what}`,
    route: `opsbook tokens ${what}`,
  }
  audit.add({ ...act, subject: { token: id, of: by.name } }, { outcome: 'done' })
}

function stateOf({ revoked_at, expires_at }: TokenRecord): string {
  if (revoked_at !== undefined) return 'revoked'
  return Date.parse(expires_at) <= Date.now() ? 'expired' : 'valid'
}

/** A token without an end would outlive the person who asked for it. */
function readExpiry(given: string, now: number): number {
  const durationMs = parseDuration(given)
  const moment = durationMs === undefined ? readMoment(given, now, '--expires') : now + durationMs
  if (moment <= now) throw new CommandError('usage', `--expires is in the past: ${given}`)
  return moment
}
