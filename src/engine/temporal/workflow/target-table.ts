import type { TargetAnswer, TargetNews, TargetOrder } from '../limiter/messages.ts'

/** Who has which target: plain data, which the functions here change in place. */
export interface TargetTable {
  /** The process that is alone, and has all targets. */
  owner?: string
  /** Who has a target, where nobody has all. */
  readonly holders: Record<string, string>
  /** Who waits for a target, in order. */
  readonly lines: Record<string, string[]>
  /** Until when what a process has is its own, by its name. Who has none was not heard of for long. */
  readonly leases: Record<string, number>
}

/** What a process has is free again when it was not heard of for so long. */
const leaseMs = 10_000

export function createTargetTable(): TargetTable {
  return { holders: {}, lines: {}, leases: {} }
}

/** Does what a process says. */
export function obeyTargets(table: TargetTable, order: TargetOrder, now: number): TargetAnswer {
  const { process, take, free, held = [], yields } = order
  dropDead(table, now)
  table.leases[process] = now + leaseMs
  for (const target of free) leaveTarget(table, target, process)
  if (yields && table.owner === process) {
    delete table.owner
    for (const target of yields) table.holders[target] = process
  }
  const isAlone = Object.keys(table.leases).length === 1
  if (isAlone && !yields && take.length > 0) table.owner = process
  if (table.owner === process) {
    for (const target of Object.keys(table.holders)) delete table.holders[target]
    for (const target of Object.keys(table.lines)) delete table.lines[target]
    return { granted: take, ownsAll: true, leaseMs }
  }
  for (const target of held) keepTarget(table, target, process)
  for (const target of take) enterLine(table, target, process)
  const granted = grantTo(table, process)
  return {
    granted: [...new Set([...granted, ...take.filter((one) => table.holders[one] === process)])],
    ownsAll: false,
    leaseMs,
  }
}

/** What a process is to be told, if anything. */
export function newsFor(table: TargetTable, process: string, now: number): TargetNews | undefined {
  dropDead(table, now)
  if (table.owner === process)
    return Object.keys(table.lines).length > 0 ? { granted: [], yield: true } : undefined
  const granted = grantTo(table, process)
  return granted.length === 0 ? undefined : { granted }
}

/** When something changes by itself. */
export function nextChangeMs({ leases }: TargetTable): number {
  return Math.min(...Object.values(leases)) + 1
}

function enterLine({ holders, lines }: TargetTable, target: string, process: string): void {
  if (holders[target] === process) return
  lines[target] ??= []
  if (!lines[target].includes(process)) lines[target].push(process)
}

/** What a process uses is its own again where nobody else has it; else it is the next that is told. */
function keepTarget(table: TargetTable, target: string, process: string): void {
  if (table.owner !== undefined || table.holders[target] !== undefined) {
    enterLine(table, target, process)
    return
  }
  leaveTarget(table, target, process)
  table.holders[target] = process
}

function leaveTarget({ holders, lines }: TargetTable, target: string, process: string): void {
  if (holders[target] === process) delete holders[target]
  const line = lines[target]?.filter((one) => one !== process)
  if (line?.length) lines[target] = line
  else delete lines[target]
}

/** Gives a process the free targets that it is next in line for. */
function grantTo(table: TargetTable, process: string): readonly string[] {
  const { owner, holders, lines } = table
  if (owner !== undefined) return []
  const granted: string[] = []
  for (const [target, line] of Object.entries(lines)) {
    if (line[0] !== process || holders[target] !== undefined) continue
    leaveTarget(table, target, process)
    holders[target] = process
    granted.push(target)
  }
  return granted
}

function dropDead(table: TargetTable, now: number): void {
  const { leases, holders, lines } = table
  const dead = Object.keys(leases).filter((process) => (leases[process] as number) <= now)
  for (const process of dead) {
    delete leases[process]
    if (table.owner === process) delete table.owner
    for (const target of [...Object.keys(holders), ...Object.keys(lines)]) leaveTarget(table, target, process)
  }
}
