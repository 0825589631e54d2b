import type { Identity } from '../../src/core/events.ts'

/** The system user of this name. */
export function systemUserNamed(name: string): Identity {
  return { name, source: 'system-user', user: name }
}
