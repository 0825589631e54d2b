import type { Template } from '../expressions/tree.ts'

/** A number of a plan that an expression over the inputs decides. */
export interface InputSetting {
  /** Where its author wrote it, such as `steps[0].for-each.max-parallel`. */
  readonly at: string
  readonly value: Template
  /** A duration is kept in milliseconds. */
  readonly unit: 'count' | 'duration'
  readonly least: number
  /** Left out: any number. */
  readonly most?: number
}

/** The settings of an object, by the field that they decide. Until it is settled the field itself means nothing. */
export type InputSettings<Field extends string> = {
  readonly settings?: Readonly<Partial<Record<Field, InputSetting>>>
}
