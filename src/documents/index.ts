/**
 * Every document once: its type, and the schema that the description of the API shows. `--output json`, pages and the
 * API have the same. No Node: pages know the types.
 */
import type { JsonSchema } from '../core/json.ts'
import {
  answeredSchema,
  controlledSchema,
  decidedSchema,
  plannedSchema,
  resumedSchema,
  scheduleChangedSchema,
  startedSchema,
  triggersSetSchema,
} from './acts.ts'
import { eventSchema, eventsSchema, rateLimitsSchema, schedulesSchema } from './automatic.ts'
import { comparedSchema } from './comparison.ts'
import { errorSchema, identitySchema, placeInLineSchema, sourceSchema } from './facts.ts'
import { inboxSchema } from './inbox.ts'
import { journalSchema } from './journal.ts'
import { outcomesSchema } from './outcomes.ts'
import {
  coversSchema,
  fileSchema,
  filesSchema,
  personAnswerSchema,
  questionSchema,
  runSchema,
  runSummarySchema,
  runsSchema,
  unknownOutcomeSchema,
} from './run.ts'
import { runbookSchema, runbookSummarySchema, runbooksSchema } from './runbooks.ts'
import { stepDocumentSchema } from './step.ts'
import { auditSchema, problemSchema, sessionSchema, sessionsSchema, systemSchema } from './system.ts'
import { itemSchema, itemsSchema, loopSchema, nodeSchema, viewSchema, waitSchema } from './view.ts'

/** The schemas by their names in the description of the API. */
export const documents: Readonly<Record<string, JsonSchema>> = {
  Identity: identitySchema,
  Error: errorSchema,
  PlaceInLine: placeInLineSchema,
  Source: sourceSchema,
  RunSummary: runSummarySchema,
  Runs: runsSchema,
  Covers: coversSchema,
  Answer: personAnswerSchema,
  Question: questionSchema,
  UnknownOutcome: unknownOutcomeSchema,
  Run: runSchema,
  Files: filesSchema,
  File: fileSchema,
  Journal: journalSchema,
  View: viewSchema,
  Node: nodeSchema,
  Items: itemsSchema,
  Item: itemSchema,
  Wait: waitSchema,
  Loop: loopSchema,
  Inbox: inboxSchema,
  Answered: answeredSchema,
  Controlled: controlledSchema,
  Planned: plannedSchema,
  TriggersSet: triggersSetSchema,
  ScheduleChanged: scheduleChangedSchema,
  Outcomes: outcomesSchema,
  Decided: decidedSchema,
  Compared: comparedSchema,
  Resumed: resumedSchema,
  Started: startedSchema,
  RunbookSummary: runbookSummarySchema,
  Runbooks: runbooksSchema,
  Runbook: runbookSchema,
  StepOfRun: stepDocumentSchema,
  Event: eventSchema,
  Events: eventsSchema,
  Schedules: schedulesSchema,
  Limits: rateLimitsSchema,
  System: systemSchema,
  Sessions: sessionsSchema,
  Session: sessionSchema,
  Audit: auditSchema,
  Problem: problemSchema,
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
export * from './step.ts'
export * from './system.ts'
export * from './view.ts'
export { readWaits, type WaitDocument } from './waits.ts'
