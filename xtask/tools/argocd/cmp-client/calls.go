package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/cmp"
	"github.com/argoproj/gitops-engine/pkg/utils/kube"
	grpc_retry "github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"google.golang.org/protobuf/types/known/emptypb"
)

// call is one call's arguments.
type call struct {
	socket string
	repo   string
	app    string
	env    names
}

type method func(call, context.Context, apiclient.ConfigManagementPluginServiceClient) (any, error)

var calls = map[string]method{
	"config":     call.config,
	"match":      call.match,
	"parameters": call.parameters,
	"generate":   call.generate,
}

// connected runs one call over a connection of its own, as repo-server does.
func (c call) connected(ctx context.Context, run method) (any, error) {
	conn, client, err := apiclient.NewConfigManagementPluginClientSet(c.socket).NewConfigManagementPluginClient()
	if err != nil {
		return nil, err
	}
	answer, err := run(c, ctx, client)
	return answer, errors.Join(err, conn.Close())
}

// config is CheckPluginConfiguration.
func (c call) config(ctx context.Context, client apiclient.ConfigManagementPluginServiceClient) (any, error) {
	response, err := client.CheckPluginConfiguration(ctx, &emptypb.Empty{})
	if err != nil {
		return nil, fmt.Errorf("error calling cmp-server checkPluginConfiguration: %w", err)
	}
	return map[string]any{
		"isDiscoveryConfigured": response.GetIsDiscoveryConfigured(),
		"provideGitCreds":       response.GetProvideGitCreds(),
	}, nil
}

// match is MatchRepository.
func (c call) match(ctx context.Context, client apiclient.ConfigManagementPluginServiceClient) (any, error) {
	stream, err := client.MatchRepository(ctx, grpc_retry.Disable())
	if err != nil {
		return nil, fmt.Errorf("error getting stream client: %w", err)
	}
	if err := cmp.SendRepoStream(ctx, c.app, c.repo, stream, c.env, nil); err != nil {
		return nil, fmt.Errorf("error sending stream: %w", err)
	}
	response, err := stream.CloseAndRecv()
	if err != nil {
		return nil, fmt.Errorf("error receiving stream response: %w", err)
	}
	return map[string]any{
		"isSupported":        response.GetIsSupported(),
		"isDiscoveryEnabled": response.GetIsDiscoveryEnabled(),
	}, nil
}

// parameters is GetParametersAnnouncement.
func (c call) parameters(ctx context.Context, client apiclient.ConfigManagementPluginServiceClient) (any, error) {
	stream, err := client.GetParametersAnnouncement(ctx, grpc_retry.Disable())
	if err != nil {
		return nil, fmt.Errorf("error getting parametersAnnouncementStream: %w", err)
	}
	if err := cmp.SendRepoStream(stream.Context(), c.app, c.repo, stream, c.env, nil); err != nil {
		return nil, fmt.Errorf("error sending file to cmp-server: %w", err)
	}
	response, err := stream.CloseAndRecv()
	if err != nil {
		return nil, fmt.Errorf("failed to get parameter announcement: %w", err)
	}
	return map[string]any{"parameterAnnouncements": response.GetParameterAnnouncements()}, nil
}

// generate is GenerateManifest, and then what repo-server does with the answer:
// each manifest is read as a Kubernetes object. The manifests are printed as the
// server sent them.
func (c call) generate(ctx context.Context, client apiclient.ConfigManagementPluginServiceClient) (any, error) {
	stream, err := client.GenerateManifest(ctx, grpc_retry.Disable())
	if err != nil {
		return nil, fmt.Errorf("error getting generateManifestStream: %w", err)
	}
	archived := make(chan bool, 1)
	if err := cmp.SendRepoStream(stream.Context(), c.app, c.repo, stream, c.env, nil, cmp.WithTarDoneChan(archived)); err != nil {
		return nil, fmt.Errorf("error sending file to cmp-server: %w", err)
	}
	response, err := stream.CloseAndRecv()
	if err != nil {
		return nil, fmt.Errorf("error generating manifests in cmp: %w", err)
	}
	manifests := response.GetManifests()
	for _, manifest := range manifests {
		if _, err := kube.SplitYAML([]byte(manifest)); err != nil {
			return nil, fmt.Errorf("failed to convert CMP manifests to unstructured objects: %s", err.Error())
		}
	}
	if manifests == nil {
		manifests = []string{}
	}
	return map[string]any{"manifests": manifests}, nil
}
