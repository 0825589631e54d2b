/** The HTTP side of the console: one listener whose guard lets nobody in without a session. */
export { type FormField, fieldsOf } from '../form-fields.ts'
export type {
  AnswerHere,
  CompareHere,
  ConsoleActs,
  ConsoleScheduleVerb,
  ControlHere,
  DecideHere,
  FormFields,
  PlanHere,
  ResumeHere,
  StartHere,
  SwitchHere,
} from './acts.ts'
export type { OidcAuth } from './auth/oidc.ts'
export type { ProxyAuth } from './auth/proxy.ts'
export { rolesOf } from './auth/roles.ts'
export { type Console, type ConsoleOptions, createConsole } from './create-console.ts'
export { ConsoleError, type Problem } from './problem.ts'
export type { AuditQuery, ConsoleReads } from './reads.ts'
export { remember } from './remember.ts'
export type { Login, MakeLogin } from './sessions.ts'
