/** What a person may do. `viewer`: read. `operator`: start and control runs. `approver`: answer. `admin`: everything. */
export const roles = ['viewer', 'operator', 'approver', 'admin'] as const

/** One of the four fixed roles. Each of them may read. */
export type Role = (typeof roles)[number]
