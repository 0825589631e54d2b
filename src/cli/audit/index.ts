/** `opsbook audit`: who did what through the console. */

import {
  type AuditQuery,
  hasConsoleStore,
  openConsoleStore,
  readAuditPage,
} from '../../console/store/index.ts'
import { answererText } from '../../core/people/index.ts'
import type { Audit, AuditRow } from '../../documents/index.ts'
import { readDataDir } from '../../project/configuration/index.ts'
import type { DataDirFlags } from '../../project/index.ts'
import { printableLine } from '../../project/text/index.ts'
import { answer, answerJson, type CommandContext } from '../shared/context.ts'
import type { OutputFlags } from '../shared/options.ts'
import { columns } from '../shared/terminal/columns.ts'
import { momentText } from '../shared/terminal/quantity-text.ts'

/** The flags of `audit`, as the parser hands them over. */
export interface AuditFlags extends Omit<AuditQuery, 'after'>, DataDirFlags, OutputFlags {}

/** Lists the acts that match the flags, newest first. */
export async function listAudit(context: CommandContext, flags: AuditFlags): Promise<void> {
  const dataDir = await readDataDir(flags, context.io)
  const store = hasConsoleStore(dataDir) ? openConsoleStore(dataDir) : undefined
  try {
    const page = readAuditPage(store?.audit, flags)
    const none = store ? 'no act matches' : `no console has used ${printableLine(dataDir)} yet`
    if (flags.output === 'json') answerJson(context, page)
    else answer(context, page.audit.length === 0 ? none : linesOf(page, context))
  } finally {
    store?.close()
  }
}

function linesOf({ audit, next }: Audit, { paint }: CommandContext): readonly string[] {
  const [title = '', ...rows] = columns(
    [['TIME', 'WHO', 'FROM', 'ACT', 'ON', 'SHOWN', 'OUTCOME'], ...audit.map(cellsOf)],
    (cell, row, column) => {
      if (row === 0) return paint.dim(cell)
      return column === 6 && cell !== 'done' ? paint.yellow(cell) : cell
    },
  )
  return [title, ...rows, ...(next === undefined ? [] : ['', paint.dim('there are more: raise --limit')])]
}

function cellsOf(row: AuditRow): readonly string[] {
  const { at, by, address, act, subject, shown = '', outcome = 'no outcome', code, count = 1 } = row
  const why = code === undefined ? '' : ` (${code})`
  const times = count > 1 ? `, ${count} times` : ''
  return [
    momentText(Date.parse(at)),
    by === undefined ? 'nobody' : printableLine(answererText(by)),
    address,
    act,
    printableLine(Object.values(subject).join(' ')),
    shown,
    `${outcome}${why}${times}`,
  ]
}
