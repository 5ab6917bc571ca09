/**
 * The part of zod's types that this package's declarations name. Our types are inferred from zod schemas, but zod's
 * own declarations cannot be checked with the options of Pulumi's project template (they want `esModuleInterop`),
 * and a program would load a hundred of its files at every deployment. test/package/declarations.test.ts compares
 * every type with what zod itself infers.
 */
interface Schema<Output, Input = Output> {
	readonly "~types"?: { readonly output: Output; readonly input: Input };
}

type Side = "output" | "input";
type Of<T, S extends Side> =
	T extends Schema<infer Output, infer Input> ? { output: Output; input: Input }[S] : never;
type OutputOf<T> = Of<T, "output">;
type InputOf<T> = Of<T, "input">;

type Shape = Readonly<Record<string, Schema<unknown>>>;
type Flat<T> = { [Key in keyof T]: T[Key] } & {};

/** Keys whose schema may be absent stand with a question mark; comments on the keys of the shape stay with them. */
type ObjectOf<Keys, Extra, S extends Side> = string extends keyof Keys
	? Record<string, Of<Keys[keyof Keys], S>>
	: keyof (Keys & Extra) extends never
		? Record<string, never>
		: Flat<
				{ -readonly [Key in keyof Keys as Keys[Key] extends Optional ? never : Key]: Of<Keys[Key], S> } & {
					-readonly [Key in keyof Keys as Keys[Key] extends Optional ? Key : never]?: Of<Keys[Key], S>;
				} & Extra
			>;

interface Optional {
	readonly "~optional": true;
}

export declare namespace z {
	namespace core {
		type $strict = Record<never, never>;
		type $strip = Record<never, never>;
		type $loose = Record<string, unknown>;
	}
	type infer<T> = OutputOf<T>;
	type output<T> = OutputOf<T>;
	type input<T> = InputOf<T>;
	type ZodRawShape = Shape;

	interface ZodType<Output = unknown, Input = Output> extends Schema<Output, Input> {}
	interface ZodString extends Schema<string> {}
	interface ZodNumber extends Schema<number> {}
	interface ZodInt extends Schema<number> {}
	interface ZodBoolean extends Schema<boolean> {}
	interface ZodNull extends Schema<null> {}
	interface ZodUnknown extends Schema<unknown> {}
	interface ZodNever extends Schema<never> {}
	interface ZodLiteral<Value> extends Schema<Value> {}
	interface ZodEnum<Entries> extends Schema<Entries[keyof Entries]> {}
	interface ZodCustom<Output = unknown, Input = unknown> extends Schema<Output, Input> {}
	interface ZodOptional<T> extends Schema<OutputOf<T> | undefined, InputOf<T> | undefined>, Optional {}
	interface ZodNullable<T> extends Schema<OutputOf<T> | null, InputOf<T> | null> {}
	interface ZodArray<T> extends Schema<OutputOf<T>[], InputOf<T>[]> {}
	interface ZodUnion<Options extends readonly unknown[]>
		extends Schema<OutputOf<Options[number]>, InputOf<Options[number]>> {}
	interface ZodDiscriminatedUnion<Options extends readonly unknown[], _Key extends string = string>
		extends ZodUnion<Options> {}
	interface ZodRecord<Key, Value>
		extends Schema<
			Record<OutputOf<Key> & string, OutputOf<Value>>,
			Record<InputOf<Key> & string, InputOf<Value>>
		> {}
	interface ZodObject<S = Shape, Extra = core.$strip>
		extends Schema<ObjectOf<S, Extra, "output">, ObjectOf<S, Extra, "input">> {
		readonly shape: S;
	}
	class ZodError<T = unknown> extends Error {
		readonly issues: readonly {
			readonly path: PropertyKey[];
			readonly message: string;
			readonly code?: string;
		}[];
		readonly "~input"?: T;
	}
}
