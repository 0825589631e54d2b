import { type Role, roles } from '../../store/index.ts'

/** The groups that have each role. The group `*` is everyone who has logged in. */
type RoleGroups = Partial<Readonly<Record<Role, readonly string[]>>>

/** The roles of someone in these groups. None: that person may not even read. */
export function rolesOf(groups: readonly string[], having: RoleGroups): readonly Role[] {
  return roles.filter((role) => having[role]?.some((group) => group === '*' || groups.includes(group)))
}
