/**
 * Every document once: its type, and the schema that the description of the API shows. `--output json`, pages and the
 * API have the same. No Node: pages know the types.
 */
import type { JsonSchema } from '../core/json.ts'
import {
  answered,
  controlled,
  decided,
  planned,
  resumed,
  scheduleChanged,
  started,
  triggersSet,
} from './acts.ts'
import { event, events, limits, schedulesSchema } from './automatic.ts'
import { compared } from './comparison.ts'
import { error, identity, source, turn } from './facts.ts'
import { inboxSchema } from './inbox.ts'
import { journal } from './journal.ts'
import { outcomes } from './outcomes.ts'
import {
  coversSchema,
  file,
  files,
  personAnswerSchema,
  question,
  runSchema,
  runSummary,
  runsSchema,
  unknownOutcomeSchema,
} from './run.ts'
import { runbook, runbookSummary, runbooks } from './runbooks.ts'
import { audit, problem, session, sessions, system } from './system.ts'
import { item, items, loop, node, view, wait } from './view.ts'

/** The schemas by their names in the description of the API. */
export const documents: Readonly<Record<string, JsonSchema>> = {
  Identity: identity,
  Error: error,
  Turn: turn,
  Source: source,
  RunSummary: runSummary,
  Runs: runsSchema,
  Covers: coversSchema,
  Answer: personAnswerSchema,
  Question: question,
  UnknownOutcome: unknownOutcomeSchema,
  Run: runSchema,
  Files: files,
  File: file,
  Journal: journal,
  View: view,
  Node: node,
  Items: items,
  Item: item,
  Wait: wait,
  Loop: loop,
  Inbox: inboxSchema,
  Answered: answered,
  Controlled: controlled,
  Planned: planned,
  TriggersSet: triggersSet,
  ScheduleChanged: scheduleChanged,
  Outcomes: outcomes,
  Decided: decided,
  Compared: compared,
  Resumed: resumed,
  Started: started,
  RunbookSummary: runbookSummary,
  Runbooks: runbooks,
  Runbook: runbook,
  Event: event,
  Events: events,
  Schedules: schedulesSchema,
  Limits: limits,
  System: system,
  Sessions: sessions,
  Session: session,
  Audit: audit,
  Problem: problem,
}

export * from './acts.ts'
export * from './automatic.ts'
export * from './comparison.ts'
export * from './describe.ts'
export * from './facts.ts'
export * from './inbox.ts'
export * from './journal.ts'
export * from './outcomes.ts'
export * from './plan.ts'
export { maskDocument, publicEvent, publicJson } from './public-json.ts'
export * from './run.ts'
export * from './runbooks.ts'
export * from './system.ts'
export * from './view.ts'
