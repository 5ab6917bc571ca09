import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Props } from "../provider/handler";

/** Properties as the engine's messages have them. */
export const props = (values: Struct | undefined): Props => values?.toJavaScript() ?? {};

/** By way of JSON: a value that is undefined has no form of its own here. */
export const struct = (values: Props): Struct => Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));
