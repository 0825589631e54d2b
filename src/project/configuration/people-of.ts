import type { People } from '../../core/people/index.ts'
import type { ConfigurationDocument } from './schema/configuration-schema.ts'

/** The people of a project, for checks of who could answer. A console adds those who log in. */
export function peopleOf({ people = {}, console }: ConfigurationDocument): People {
  if (console === undefined) return people
  return { ...people, logins: console.auth === undefined ? 'names' : 'groups' }
}
