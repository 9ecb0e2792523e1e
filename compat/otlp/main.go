// Receives traces with the OTLP receiver of the OpenTelemetry Collector, and prints each span as a line of JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

type link struct {
	TraceID string `json:"traceId"`
	SpanID  string `json:"spanId"`
}

type span struct {
	Name       string         `json:"name"`
	Kind       string         `json:"kind"`
	TraceID    string         `json:"traceId"`
	SpanID     string         `json:"spanId"`
	ParentID   string         `json:"parentId"`
	StartMs    int64          `json:"startMs"`
	EndMs      int64          `json:"endMs"`
	Attributes map[string]any `json:"attributes"`
	Links      []link         `json:"links"`
	Status     string         `json:"status"`
	Reason     string         `json:"reason"`
	Resource   map[string]any `json:"resource"`
	Scope      string         `json:"scope"`
}

func show(resource map[string]any, scope string, one ptrace.Span) span {
	links := []link{}
	for at := range one.Links().Len() {
		own := one.Links().At(at)
		links = append(links, link{own.TraceID().String(), own.SpanID().String()})
	}
	return span{
		one.Name(), one.Kind().String(), one.TraceID().String(), one.SpanID().String(), one.ParentSpanID().String(),
		one.StartTimestamp().AsTime().UnixMilli(), one.EndTimestamp().AsTime().UnixMilli(),
		one.Attributes().AsRaw(), links, one.Status().Code().String(), one.Status().Message(), resource, scope,
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func print(_ context.Context, traces ptrace.Traces) error {
	for r := range traces.ResourceSpans().Len() {
		resource := traces.ResourceSpans().At(r)
		for s := range resource.ScopeSpans().Len() {
			scope := resource.ScopeSpans().At(s)
			for at := range scope.Spans().Len() {
				line, err := json.Marshal(show(resource.Resource().Attributes().AsRaw(), scope.Scope().Name(), scope.Spans().At(at)))
				check(err)
				fmt.Println(string(line))
			}
		}
	}
	return nil
}

func main() {
	ctx := context.Background()
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	http := map[string]any{"endpoint": os.Args[1]}
	check(confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": http}}).Unmarshal(config))
	sink, err := consumer.NewTraces(print)
	check(err)
	receiver, err := factory.CreateTraces(ctx, receivertest.NewNopSettings(factory.Type()), config, sink)
	check(err)
	check(receiver.Start(ctx, componenttest.NewNopHost()))
	fmt.Println("ready")
	select {}
}
