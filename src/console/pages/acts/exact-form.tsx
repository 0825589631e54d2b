import type { VNode } from 'preact'
import type { FormField } from '../../form-fields.ts'
import { FieldInputs, type Given, HiddenFields } from './field-inputs.tsx'

/** What a form repeats of an earlier one, to do exactly what was shown. */
interface Exact {
  readonly action: string
  readonly csrf: string
  /** The word of what was shown, and other fields that say which. */
  readonly names: Readonly<Record<string, string>>
  /** The fields of the earlier form. */
  readonly given: Given
  /** The fields whose contents were not sent back: they are typed again. */
  readonly secrets: readonly FormField[]
  /** The word of the button. */
  readonly word: string
}

/** Does exactly what was shown. */
export function ExactForm({ action, csrf, names, given, secrets, word }: Exact): VNode {
  return (
    <form method="post" action={action} class="act inputs">
      <HiddenFields given={{ ...given, ...names, csrf }} />
      {secrets.length === 0 ? null : (
        <>
          <p class="dim">What you have typed here was not sent back. Type it again:</p>
          <FieldInputs fields={secrets.map(needed)} given={{}} />
        </>
      )}
      <p>
        <button type="submit" class="main">
          {word}
        </button>
      </p>
    </form>
  )
}

/** What is shown has a value for it: without one it would be something else. */
function needed({ usual: _, ...field }: FormField): FormField {
  return { ...field, isRequired: true }
}
