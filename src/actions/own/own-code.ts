/** Codes that say what the engine did or found: an action cannot know them. */
const engineCodes: ReadonlySet<unknown> = new Set(['Cancelled', 'Interrupted', 'InternalDefect', 'PlanDrift'])

/** Whether an action may fail with this code: PascalCase, and no code of the engine. */
export function isOwnCode(code: unknown): code is string {
  return typeof code === 'string' && /^[A-Z][a-z0-9]+([A-Z][a-z0-9]*)*$/.test(code) && !engineCodes.has(code)
}
